import { type BasisEntry, type Contract, isAssumed, type Json, type Operation } from '../../contract/index.js'
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
  document.info.description = guides.start.text
  const groups = guides.groups.map(({ name, guides }) => ({ name, tags: guides.map(tagOf) }))
  groups.splice(-1, 0, { name: 'Reference', tags: document.tags })
  document.tags = groups.flatMap(({ tags }) => tags)
  document['x-tagGroups'] = groups.map(({ name, tags }) => ({ name, tags: tags.map((tag) => tag.name) }))
  return document
}

/** A label that Redoc shows beside a heading or a field. */
type Badge = Record<'name' | 'color', string>

/** What the contract says of an operation's behaviour, in a few words. */
function operationBadges({ node, responses }: Operation): Badge[] {
  const retried = responses.filter(([, response]) => response['x-retryable'] === true).map(([status]) => status)
  const seconds = node['x-cache-seconds']
  return [
    node['x-quota'] === 'runs'
      ? { name: 'counts against the run quota', color: 'purple' }
      : { name: 'counts against the request rate', color: 'blue' },
    ...(seconds ? [{ name: `cached ${seconds} s`, color: 'green' }] : []),
    ...(retried.length > 0 ? [{ name: `retried on ${retried.join(', ')}`, color: 'grey' }] : []),
  ]
}

/** Marks the fields, parameters and headers that rest on nothing but assumptions. Changes the document. */
function markAssumed(node: Json, register: BasisEntry[]): void {
  if (typeof node !== 'object' || node === null) return
  const isField = 'type' in node || 'in' in node || 'schema' in node
  if (isField && Array.isArray(node['x-basis']) && isAssumed(register, node['x-basis']))
    node['x-badges'] = [{ name: 'assumed', color: 'orange' }] satisfies Badge[]
  for (const child of Object.values(node)) markAssumed(child, register)
}

const tagOf = ({ name, title, text }: Guide): Json => ({
  name,
  'x-displayName': title,
  description: withoutDeepHeadings(text),
})

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
