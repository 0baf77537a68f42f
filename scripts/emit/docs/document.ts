import { type BasisEntry, type Contract, isAssumed, type Json, type Operation } from '../../contract/index.js'
import type { Guide, Guides } from './guides.js'
import { outsideCode, withBasisLinks } from './links.js'
import { codeSamples } from './samples.js'

/** The contract as the documentation shows it: guides as tags, badges, code samples, and links to the register. */
export function documentForReaders(contract: Contract, guides: Guides): Json {
  const { register, operations } = contract
  const document = structuredClone(contract.document)
  delete document['x-basis-register']
  for (const node of nodesIn([document.paths, document.components, document.tags]))
    if (typeof node.description === 'string') node.description = withBasisLinks(node.description, register)
  for (const node of nodesIn(document.components)) if (isAssumedField(node, register)) node['x-badges'] = ASSUMED
  for (const operation of operations) {
    const node = document.paths[operation.path][operation.method.toLowerCase()]
    const description = node.description.replace('<small>', `<small>In the client: \`client.${operation.id}\`. `)
    node.description = `<div><button type="button" data-try="${operation.id}">Try it</button></div>\n\n${description}`
    node['x-badges'] = operationBadges(operation)
    node['x-codeSamples'] = codeSamples(contract, operation)
  }
  // Redoc shows no Markdown there.
  for (const server of document.servers) server.description = server.description.split('\n\n')[0].replaceAll('`', '')
  document.info.description = guides.start.text
  const groups = guides.groups.map(({ name, guides }) => ({ name, tags: guides.map(tagOf) }))
  groups.unshift({ name: 'Reference', tags: document.tags })
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

function* nodesIn(node: Json): Generator<Json> {
  if (typeof node !== 'object' || node === null) return
  yield node
  for (const child of Object.values(node)) yield* nodesIn(child)
}

/** Whether a field, parameter or header rests on nothing but assumptions. */
const isAssumedField = (node: Json, register: BasisEntry[]): boolean =>
  ('type' in node || 'in' in node || 'schema' in node) &&
  Array.isArray(node['x-basis']) &&
  isAssumed(register, node['x-basis'])

const ASSUMED: Badge[] = [{ name: 'assumed', color: 'orange' }]

const tagOf = ({ name, title, text }: Guide): Json => ({
  name,
  'x-displayName': title,
  description: withoutDeepHeadings(text),
})

/** Redoc makes an entry of the navigation of every Markdown heading; those below the second level are no pages. */
const withoutDeepHeadings = (text: string): string =>
  outsideCode(text, (prose) =>
    prose.replaceAll(/^(#{3,}) (.+)$/gm, (_, { length }: string, title) => `<h${length}>${title}</h${length}>\n`),
  )
