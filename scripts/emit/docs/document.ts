import type { Contract, Json } from '../../contract/index.js'
import { markAssumed, operationBadges } from './badges.js'
import type { Guide, Guides } from './guides.js'
import { linkBasis, outsideCode } from './links.js'
import { codeSamples } from './samples.js'

/** The contract as the documentation shows it: guides as tags, badges, code samples, and links to the register. */
export function documentForReaders(contract: Contract, guides: Guides): Json {
  const { register, operations } = contract
  const document = structuredClone(contract.document)
  delete document['x-basis-register']
  for (const part of [document.paths, document.components, document.tags]) linkBasis(part, register)
  markAssumed(document.components, register)
  for (const operation of operations) {
    const node = document.paths[operation.path][operation.method.toLowerCase()]
    const description = node.description.replace('<small>', `<small>In the client: \`client.${operation.id}\`. `)
    node.description = `<div><button type="button" data-try="${operation.id}">Try it</button></div>\n\n${description}`
    node['x-badges'] = operationBadges(operation)
    node['x-codeSamples'] = codeSamples(contract, operation)
  }
  for (const server of document.servers) server.description = plainText(server.description)
  const reference = document.tags.map(({ name }: { name: string }) => name)
  const about = guides.groups.at(-1)
  const before = guides.groups.slice(0, -1)
  document.info.description = guides.start.text
  document.tags = [...before.flatMap(tagsOf), ...document.tags, ...(about ? tagsOf(about) : [])]
  document['x-tagGroups'] = [
    ...before.map(({ name, guides }) => ({ name, tags: guides.map((guide) => guide.name) })),
    { name: 'Reference', tags: reference },
    ...(about ? [{ name: about.name, tags: about.guides.map((guide) => guide.name) }] : []),
  ]
  return document
}

const tagsOf = ({ guides }: { guides: Guide[] }): Json[] =>
  guides.map(({ name, title, text }) => ({ name, 'x-displayName': title, description: withoutDeepHeadings(text) }))

/** Redoc makes an entry of the navigation of every Markdown heading; those below the second level are no pages. */
const withoutDeepHeadings = (text: string): string =>
  outsideCode(text, (prose) =>
    prose.replaceAll(
      /^(#{3,}) (.+)$/gm,
      (_, marks: string, title: string) => `<h${marks.length}>${title}</h${marks.length}>\n`,
    ),
  )

/** Where Redoc shows no Markdown. */
const plainText = (text: string): string => text.split('\n\n')[0]?.replaceAll('`', '') ?? ''
