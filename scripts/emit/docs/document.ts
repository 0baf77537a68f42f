import { slug } from '../../../site/slug.js'
import { basisInProse, withBasis } from '../../contract/decorate.js'
import { type BasisEntry, type Contract, isAssumed, type Json, type Operation } from '../../contract/index.js'
import { codeSamples } from './samples.js'

/** The contract as the API reference shows it: assumptions folded, patterns in words, badges, code samples and Try it. */
export function documentForReaders(contract: Contract): Json {
  const { register } = contract
  const { document, operations } = withBasis(contract, (firm, assumed) => folded(firm, assumed, register))
  delete document['x-basis-register']
  for (const node of nodesIn(document.components)) if (isAssumedField(node, register)) node['x-badges'] = ASSUMED
  for (const node of nodesIn([document.paths, document.components, document.tags])) describePattern(node)
  for (const operation of operations) {
    const node = document.paths[operation.path][operation.method.toLowerCase()]
    node.description = `${endpointHtml(operation)}\n\n${node.description}`
    node['x-badges'] = operationBadges(operation)
    node['x-codeSamples'] = codeSamples(contract, operation)
  }
  // Redoc shows no Markdown there.
  for (const server of document.servers) server.description = server.description.split('\n\n')[0].replaceAll('`', '')
  document.info.description = overview(operations)
  delete document.info.license
  for (const node of nodesIn(document))
    for (const name of Object.keys(node)) if (name.startsWith('x-') && !REDOC_FIELDS.has(name)) delete node[name]
  return document
}

/** What stands before the operations: a list of them, what holds for each, and the document for download. */
function overview(operations: Operation[]): string {
  const list = operations.map(
    (operation) =>
      `- [${operation.node.summary}](${operationRoute(operation)}) \`${operation.method} ${operation.path}\``,
  )
  const downloads = DOCUMENTS.map((file) => `[${file}](../${file})`)
  return [
    list.join('\n'),
    'Each operation has code samples and **Try it**, which calls a sandbox in this page.',
    `Before the first call, read [Authentication and keys](../guides/authentication.html), [Errors and retries](../guides/errors-and-retries.html) and [Limits](../guides/limits-and-many-runs.html). [What may I rely on?](../guides/what-may-i-rely-on.html) says what is certain.`,
    `**Download** ${downloads.join(' · ')}`,
  ].join('\n\n')
}

const DOCUMENTS = ['openapi.yaml', 'openapi.json', 'openapi.plain.json', 'openapi-3.0.json']

/** The method and the path, and the way to try it. */
const endpointHtml = ({ id, method, path }: Operation): string =>
  `<div class="endpoint"><code><b class="${method.toLowerCase()}">${method}</b> ${path.replaceAll('{', '&#123;')}</code> <button type="button" data-try="${id}">Try it</button></div>`

/** Where an operation is in the page. */
export const operationRoute = ({ id, node }: Operation): string => `#/${slug(node.tags[0])}/${slug(id)}`

/** What a part rests on, behind one line that opens. */
function folded(firm: BasisEntry[], assumed: BasisEntry[], register: BasisEntry[]): string[] {
  const paragraphs = basisInProse(firm, assumed)
  if (paragraphs.length === 0) return []
  const count = assumed.length
  const title = count === 0 ? 'Basis' : count === 1 ? '1 assumption' : `${count} assumptions`
  const items = paragraphs.map((text) => `<p>${linked(text, register)}</p>`).join('')
  return [`<details class="basis${count > 0 ? ' assumed' : ''}"><summary>${title}</summary>${items}</details>`]
}

/** A paragraph as HTML, with its ids linked to the register. */
const linked = (text: string, register: BasisEntry[]): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\b[A-Z]\d{2}\b/g, (id) =>
      register.some((entry) => entry.id === id)
        ? `<a href="../guides/register.html#${id.toLowerCase()}">${id}</a>`
        : id,
    )

/** Says what a pattern means; the pattern itself shows on demand. */
function describePattern(node: Json): void {
  const { 'x-pattern-means': means, pattern } = node
  if (typeof means !== 'string' || typeof pattern !== 'string') return
  delete node.pattern
  const code = pattern.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('`', '&#96;')
  node.description =
    `${node.description ?? ''}\n\n<details class="pattern"><summary>Form: ${means}</summary><code>${code}</code></details>`.trim()
}

/** The fields beyond OpenAPI that Redoc shows; others would only make the page larger. */
const REDOC_FIELDS = new Set(['x-badges', 'x-codeSamples'])

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
