import { operationNodes, schemaNodes } from '../../../generated/conformance.js'
import { type BasisId, basis, type OperationId } from '../../../generated/operations.js'
import { isSuccess, successStatus } from '../contract.js'
import { counted } from '../message.js'
import type { Discovery, Finding, Report } from '../report.js'

/** A change to one file of the contract. */
export interface Suggestion {
  file: string
  /** Where in the file, and why. */
  why: string
  yaml: string
}

const REGISTER = 'openapi/basis.yaml'

/** The changes to the contract that the findings call for: what was seen becomes observed, in entries of its own. */
export function suggestions(report: Report): Suggestion[] {
  const { host } = new URL(report.baseUrl)
  const context = { next: observedIds(), host, seenAt: `At ${host} on ${report.startedAt.slice(0, 10)}` }
  const wrong = firstOfAssumed(report, 'contradicted')
  // A value or a status that was discovered has a suggestion of its own.
  const own = new Set(
    report.findings.flatMap(({ discovery, basis: about }) =>
      discovery?.kind === 'value' || discovery?.kind === 'status' ? [about] : [],
    ),
  )
  const isWrong = new Set(wrong.map((finding) => finding.basis))
  return [
    ...wrong.filter((finding) => !own.has(finding.basis)).map((finding) => forContradicted(finding, context)),
    ...report.findings.flatMap((finding) => forDiscovered(finding, context, isWrong)),
    ...firstOfAssumed(report, 'confirmed').flatMap((finding) => forConfirmed(finding, context)),
  ]
}

interface Context {
  /** The next free id of an observed entry. */
  next(): string
  host: string
  seenAt: string
}

/** The first finding of each assumed entry with that outcome. */
function firstOfAssumed({ findings }: Report, outcome: Finding['outcome']): Finding[] {
  const own = findings.filter((each) => each.outcome === outcome && basis[each.basis].kind === 'assumed')
  return own.filter(({ basis: id }, index) => own.findIndex((each) => each.basis === id) === index)
}

const entry = (id: string, section: number, text: string): string =>
  [`- id: ${id}`, '  kind: observed', `  section: ${section}`, `  text: ${scalar(text)}`].join('\n')

function forContradicted({ basis: about, fact, message }: Finding, { next, seenAt }: Context): Suggestion {
  const id = next()
  const nodes = nodesOf(about) || 'none but the register'
  return {
    file: REGISTER,
    why: `${about} was contradicted: "${basis[about].text}" Rewrite it, or let its nodes rest on ${id}: ${nodes}.`,
    yaml: entry(id, basis[about].section, `${seenAt}, ${fact ?? message}.`),
  }
}

function forDiscovered(
  { discovery, basis: about, location = '' }: Finding,
  { next, seenAt }: Context,
  isWrong: Set<BasisId>,
) {
  if (!discovery) return []
  const id = next()
  const [file = '', node = ''] = location.split('#')
  const rewrite = isWrong.has(about) ? ` ${about} was contradicted: "${basis[about].text}" Rewrite it.` : ''
  return [
    {
      file: REGISTER,
      why: `It is for ${file}.${rewrite}`,
      yaml: entry(id, basis[about].section, `${seenAt}, ${sightOf(discovery)}.`),
    },
    { file, why: `${doing(discovery)} below ${node.slice(1).replaceAll('/', '.')}.`, yaml: nodeFor(discovery, id) },
  ]
}

function forConfirmed({ basis: about, times }: Finding, { next, host }: Context): Suggestion[] {
  const nodes = nodesOf(about)
  if (nodes === '') return []
  const id = next()
  return [
    {
      file: REGISTER,
      why: `${about} was confirmed, ${counted(times, 'time')}. If ${host} is the service itself, let its nodes rest on ${id}: ${nodes}.`,
      yaml: entry(id, basis[about].section, basis[about].text),
    },
  ]
}

/** The suggestions as text, each block YAML for the file that is named above it. */
export function renderSuggestions(report: Report): string {
  const all = suggestions(report)
  if (all.length === 0) return '# The findings call for no change of the contract.\n'
  const files = [...new Set(all.map(({ file }) => file))]
  return files
    .map((file) => {
      const own = all.filter((each) => each.file === file)
      const head = `# ${file}${file === REGISTER ? ': append below the last observed entry' : ''}\n`
      return head + own.map(({ why, yaml }) => `\n# ${why}\n${yaml}\n`).join('')
    })
    .join('\n\n')
}

const doing = (discovery: Discovery): string =>
  discovery.kind === 'status' && isSuccess(discovery.status)
    ? `Replace '${successStatus(discovery.operation)}' by this`
    : 'Add this'

function sightOf(discovery: Discovery): string {
  switch (discovery.kind) {
    case 'field':
      return `${discovery.schema} had the field ${discovery.name}, of the type ${discovery.type}`
    case 'value':
      return `${discovery.schema} was ${discovery.value}`
    case 'status':
      return `${discovery.operation} responded with ${discovery.status}`
    case 'header':
      return `a response had the header ${discovery.name}`
  }
}

/** The ids that observed entries may take next. */
function observedIds(): () => string {
  const taken = Object.keys(basis).flatMap((id) => (/^O\d+$/.test(id) ? [Number(id.slice(1))] : []))
  let last = Math.max(0, ...taken)
  return () => `O${String(++last).padStart(2, '0')}`
}

function nodeFor(discovery: Discovery, id: string): string {
  switch (discovery.kind) {
    case 'field':
      return [
        `${scalar(discovery.name)}:`,
        `  type: ${scalar(discovery.type)}`,
        '  description: Seen in a response; what it means is not known yet.',
        `  x-basis: [${id}]`,
      ].join('\n')
    case 'value':
      return [
        `${scalar(discovery.value)}:`,
        '  description: Seen in a response; what it means is not known yet.',
        `  x-basis: [${id}]`,
      ].join('\n')
    case 'status':
      if (isSuccess(discovery.status)) return successNode(discovery.operation, discovery.status)
      return [
        `'${discovery.status}':`,
        '  description: Seen as a response; what it means is not known yet.',
        `  x-basis: [${id}]`,
      ].join('\n')
    case 'header':
      return [
        `${scalar(discovery.name)}:`,
        '  description: Seen in a response; what it means is not known yet.',
        '  schema:',
        '    type: string',
        `  x-basis: [${id}]`,
      ].join('\n')
  }
}

/** The success of the contract, under another status. */
const successNode = (operation: OperationId, status: number): string => {
  const location = operationNodes[operation].responses[successStatus(operation)]?.location ?? ''
  return `'${status}':\n  $ref: ${location.replace('openapi/', '../')}`
}

/** A text as a YAML scalar: JSON is YAML, and what a service sends may hold anything. */
const scalar = (text: string): string =>
  /^[A-Za-z][\w-]*$/.test(text) && !WORDS.test(text) ? text : JSON.stringify(text)

const WORDS = /^(true|false|null|yes|no|on|off|y|n)$/i

/** Where an entry is named in the contract. */
function nodesOf(id: BasisId): string {
  const locations = new Set<string>()
  for (const schema of Object.values(schemaNodes)) {
    const own = [schema.basis, ...Object.values(schema.values ?? {})]
    const all = [
      ...own,
      schema.transitions ?? [],
      ...Object.values(schema.properties ?? {}).map((property) => property.basis ?? []),
    ]
    if (all.some((ids) => ids.includes(id))) locations.add(schema.location)
  }
  for (const operation of Object.values(operationNodes)) {
    if ([operation.basis, ...operation.parameters.map((each) => each.basis)].some((ids) => ids.includes(id)))
      locations.add(operation.location)
    for (const response of Object.values(operation.responses))
      if (response.basis.includes(id) && response.location) locations.add(response.location)
  }
  return [...locations].join(', ')
}
