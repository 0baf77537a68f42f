import { operationNodes, schemaNodes } from '../../../generated/conformance/nodes.js'
import { type BasisId, basis } from '../../../generated/operations.js'
import { pointerTokens } from '../../runtime/json-pointer.js'
import { isSuccess, OTHER_STATUS, successStatus } from '../contract.js'
import { counted } from '../judge/result.js'
import type { Discovery, Finding, Report } from './types.js'

export interface Suggestion {
  file: string
  /** Where in the file, and why. */
  why: string
  yaml: string
}

const REGISTER = 'openapi/basis.yaml'

/** The changes to the contract that the findings suggest: contradictions and discoveries become observed entries. */
export function suggestions({ findings: all, baseUrl, startedAt }: Report): Suggestion[] {
  const findings = all.filter(isTelling)
  const { host } = new URL(baseUrl)
  const next = observedIds()
  const wrong = firstOfAssumed(findings, 'contradicted')
  const rewrite = (id: BasisId) => `${id} was contradicted: "${basis[id].text}" Rewrite it`
  const entry = (id: string, about: BasisId, why: string, text: string): Suggestion => ({
    file: REGISTER,
    why,
    yaml: `- id: ${id}\n  kind: observed\n  section: ${basis[about].section}\n  text: ${scalar(text)}`,
  })
  const seen = (what: string) => `At ${host} on ${startedAt.slice(0, 10)}, ${what}.`
  // A discovered value or status has a suggestion of its own.
  const isOwn = ({ basis: id }: Finding) =>
    findings.some(({ basis: own, discovery }) => own === id && /^(value|status)$/.test(discovery?.kind ?? ''))

  const contradicted = ({ basis: id, fact, message }: Finding): Suggestion => {
    const own = next()
    const why = `${rewrite(id)}, or let its nodes rest on ${own}: ${filesOf(id) || 'none but the register'}.`
    return entry(own, id, why, seen(fact ?? message))
  }
  const discovered = ({ basis: id, discovery, location = '' }: Finding): Suggestion[] => {
    if (!discovery) return []
    const own = next()
    const { file, path } = sourceOf(location)
    const { sight, yaml, replaces } = nodeFor(discovery, own)
    const why = `It is for ${file}.${wrong.some((each) => each.basis === id) ? ` ${rewrite(id)}.` : ''}`
    const doing = replaces === undefined ? 'Add this' : `Replace '${replaces}' by this`
    return [entry(own, id, why, seen(sight)), { file, why: `${doing} below ${path}.`, yaml }]
  }
  const confirmed = ({ basis: id, times }: Finding): Suggestion[] => {
    const nodes = filesOf(id)
    if (nodes === '') return []
    const own = next()
    const why = `${id} was confirmed, ${counted(times, 'time')}. If ${host} is the service itself, let its nodes rest on ${own}: ${nodes}.`
    return [entry(own, id, why, basis[id].text)]
  }
  return [
    ...wrong.filter((finding) => !isOwn(finding)).map(contradicted),
    ...findings.flatMap(discovered),
    ...firstOfAssumed(findings, 'confirmed').flatMap(confirmed),
  ]
}

/** An internal error, a refusal of WebDAV and the text of an error are faults of one service, and no part of a contract. */
function isTelling({ status = 0, discovery }: Finding): boolean {
  const got = discovery?.kind === 'status' ? discovery.status : status
  const isText = discovery?.kind === 'value' && status >= 400 && /\s/.test(discovery.value)
  return got < 500 && got !== OTHER_STATUS.unprocessable && !isText
}

/** The suggestions as text, each block YAML for the file that is named above it. */
export function renderSuggestions(report: Report): string {
  const all = suggestions(report)
  if (all.length === 0) return '# The findings call for no change of the contract.\n'
  return [...new Set(all.map(({ file }) => file))]
    .map((file) => {
      const own = all.filter((each) => each.file === file)
      const head = `# ${file}${file === REGISTER ? ': append below the last observed entry' : ''}\n`
      return head + own.map(({ why, yaml }) => `\n# ${why}\n${yaml}\n`).join('')
    })
    .join('\n\n')
}

/** The first finding with that outcome for each assumed entry. */
const firstOfAssumed = (findings: readonly Finding[], outcome: Finding['outcome']): Finding[] =>
  findings
    .filter((each) => each.outcome === outcome && basis[each.basis].kind === 'assumed')
    .filter(({ basis: id }, index, own) => own.findIndex((each) => each.basis === id) === index)

/** The next free ids of observed entries. */
function observedIds(): () => string {
  const taken = Object.keys(basis).flatMap((id) => (/^O\d+$/.test(id) ? [Number(id.slice(1))] : []))
  let last = Math.max(0, ...taken)
  return () => `O${String(++last).padStart(2, '0')}`
}

/** A sentence about a discovery, and the node to add; the success of the contract moves to another status. */
function nodeFor(discovery: Discovery, id: string): { sight: string; yaml: string; replaces?: number } {
  const description = 'description: Seen in a response; what it means is not known yet.'
  const node = (key: string, ...lines: string[]): string =>
    [`${scalar(key)}:`, ...lines, description, `x-basis: [${id}]`].join('\n  ')
  if (discovery.kind === 'field') {
    const { schema, name, type } = discovery
    return { sight: `${schema} had the field ${name}, of the type ${type}`, yaml: node(name, `type: ${scalar(type)}`) }
  }
  if (discovery.kind === 'value')
    return { sight: `${discovery.schema} was ${discovery.value}`, yaml: node(discovery.value) }
  if (discovery.kind === 'header')
    return {
      sight: `a response had the header ${discovery.name}`,
      yaml: node(discovery.name, 'schema:', '  type: string'),
    }
  const { operation, status } = discovery
  const sight = `${operation} responded with ${status}`
  if (!isSuccess(status)) return { sight, yaml: node(String(status)) }
  const replaces = successStatus(operation)
  const { file } = sourceOf(operationNodes[operation].responses[replaces]?.location ?? '')
  return { sight, yaml: `'${status}':\n  $ref: ${file.replace('openapi/', '../')}`, replaces }
}

/** A text as a YAML scalar: JSON is YAML, and a text of a service may contain anything. */
const scalar = (text: string): string =>
  /^[A-Za-z][\w-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text) ? text : JSON.stringify(text)

/** The files with nodes that rest on an entry. */
function filesOf(id: BasisId): string {
  const operations = Object.values(operationNodes)
  const nodes = [
    ...Object.values(schemaNodes),
    ...operations.map(({ responses: _, ...own }) => own),
    ...operations.flatMap(({ responses }) => Object.values(responses)),
  ].filter((node) => JSON.stringify(node).includes(`"${id}"`))
  return [...new Set(nodes.flatMap(({ location }) => (location ? [sourceOf(location).file] : [])))].join(', ')
}

/** The source file of a node of the bundled document, and the location in it. */
function sourceOf(location: string): { file: string; path: string } {
  const [first, second = '', third = '', ...rest] = pointerTokens(location.replace(/^[^#]*#/, ''))
  if (first === 'components') return { file: `openapi/components/${second}/${third}.yaml`, path: rest.join('.') }
  const name = second.slice(1).replaceAll(/[{}]/g, '').replaceAll('/', '_')
  return { file: `openapi/paths/${name}.yaml`, path: [third, ...rest].join('.') }
}
