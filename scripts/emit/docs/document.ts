import { slug } from '../../../site/slug.js'
import { basisInProse, withBasis } from '../../contract/decorate.js'
import { type BasisEntry, type Contract, type Json, type Operation, startsRun } from '../../contract/index.js'
import { escapeHtml } from '../text.js'
import { codeSamples } from './parts/samples.js'

/** The contract as the API reference shows it: assumptions folded, patterns in words, links to the register, code samples and Try it. */
export function documentForReaders(contract: Contract): Json {
  const { register } = contract
  const { document, operations } = withBasis(contract, foldedBasis)
  delete document['x-basis-register']
  for (const node of nodesIn([document.paths, document.components, document.tags])) {
    describePattern(node)
    if (typeof node.description === 'string') node.description = linked(node.description, register)
  }
  for (const operation of operations) {
    const node = document.paths[operation.path][operation.method.toLowerCase()]
    const facts = `<p class="facts">${factsOf(operation).join(' · ')}<br>${AUTHORIZATION}</p>`
    node.description = [endpointHtml(operation), facts, node.description].join('\n\n')
    node['x-codeSamples'] = codeSamples(contract, operation)
  }
  // Redoc shows no Markdown there.
  for (const server of document.servers) server.description = server.description.split('\n\n')[0].replaceAll('`', '')
  document.info.description = overview(operations)
  delete document.info.license
  // Each operation says it in words.
  for (const node of [document, document.components])
    for (const name of ['security', 'securitySchemes']) delete node[name]
  for (const node of nodesIn(document)) {
    for (const name of Object.keys(node)) if (name.startsWith('x-') && !REDOC_FIELDS.has(name)) delete node[name]
    // Redoc shows it as a property of any name and type, at the end of each schema.
    if (node.additionalProperties === true) delete node.additionalProperties
  }
  return document
}

/** A list of the operations, notes for all of them, and downloads. */
function overview(operations: Operation[]): string {
  const list = operations.map(
    (operation) =>
      `- [${operation.node.summary}](${operationRoute(operation)}) \`${operation.method} ${operation.path}\``,
  )
  const downloads = DOCUMENTS.map((file) => `[${file}](../${file})`)
  return [
    list.join('\n'),
    'Each operation has code samples and a **Try it** panel, which calls a sandbox in this page.',
    [
      'Before the first call, read [Authentication and releases](../guides/authentication.html),',
      '[Errors and retries](../guides/errors-and-retries.html) and [Limits](../guides/limits-and-many-runs.html).',
      '[What may I rely on?](../guides/what-may-i-rely-on.html) says what is certain.',
    ].join(' '),
    `**Download** ${downloads.join(' · ')}`,
  ].join('\n\n')
}

const DOCUMENTS = ['openapi.plain.json', 'openapi.plain.yaml', 'openapi-3.0.json', 'openapi.yaml', 'openapi.json']

const AUTHORIZATION =
  'Send <code>Authorization: Bearer &lt;key&gt;</code>: <a href="../guides/authentication.html">keys</a>'

/** The method and the path, and the way to try it. */
const endpointHtml = ({ id, method, path }: Operation): string =>
  [
    '<div class="endpoint">',
    `<code><b class="${method.toLowerCase()}">${method}</b> ${path.replaceAll('{', '&#123;')}</code> `,
    `<button type="button" data-try="${id}">Try it</button>`,
    '</div>',
  ].join('')

/** Where an operation is in the page. */
export const operationRoute = ({ id, node }: Operation): string => `#/${slug(node.tags[0])}/${slug(id)}`

/** What a part rests on, behind one line that opens, if any of it is assumed. */
function foldedBasis(firm: BasisEntry[], assumed: BasisEntry[]): string[] {
  const count = assumed.length
  if (count === 0) return []
  const title = firm.length === 0 ? 'Assumed' : count === 1 ? '1 assumption' : `${count} assumptions`
  const items = basisInProse(firm, assumed)
    .map((text) => `<p>${html(text)}</p>`)
    .join('')
  return [`<details class="basis"><summary>${title}</summary>${items}</details>`]
}

const html = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

/** Links the ids of the register, in Markdown as in HTML. */
const linked = (text: string, register: BasisEntry[]): string =>
  text.replaceAll(/\b[A-Z]\d{2}\b/g, (id) =>
    register.some((entry) => entry.id === id) ? `<a href="../guides/register.html#${id.toLowerCase()}">${id}</a>` : id,
  )

/** Says what a pattern means; the pattern itself shows on demand. */
function describePattern(node: Json): void {
  const { 'x-pattern-means': means, pattern } = node
  if (typeof means !== 'string' || typeof pattern !== 'string') return
  delete node.pattern
  const code = escapeHtml(pattern).replaceAll('`', '&#96;')
  node.description =
    `${node.description ?? ''}\n\n<details class="pattern"><summary>Form: ${means}</summary><code>${code}</code></details>`.trim()
}

/** The fields beyond OpenAPI that Redoc shows; others would only make the page larger. */
const REDOC_FIELDS = new Set(['x-codeSamples'])

/** An operation's behaviour in a few words. */
function factsOf({ node, responses }: Operation): string[] {
  const retried = responses.filter(([, response]) => response['x-retryable'] === true).map(([status]) => status)
  const seconds = node['x-cache-seconds']
  return [
    `Counts against the ${startsRun(node) ? 'run quota' : 'request rate'}`,
    ...(seconds ? [`cached ${seconds} s`] : []),
    ...(retried.length > 0 ? [`retried on ${retried.join(', ')}`] : []),
  ]
}

function* nodesIn(node: Json): Generator<Json> {
  if (typeof node !== 'object' || node === null) return
  yield node
  for (const child of Object.values(node)) yield* nodesIn(child)
}
