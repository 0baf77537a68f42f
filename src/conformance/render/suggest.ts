import { operationNodes, schemaNodes } from '../../../generated/conformance.js'
import { type BasisId, basis, type OperationId } from '../../../generated/operations.js'
import { isSuccess, successStatus } from '../contract.js'
import type { Discovery, Finding, Report } from '../report.js'
import { counted } from '../text.js'

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
  const next = observedIds()
  const { host } = new URL(report.baseUrl)
  const where = `${host} on ${report.startedAt.slice(0, 10)}`
  const entry = (id: string, section: number, text: string): string =>
    [`- id: ${id}`, '  kind: observed', `  section: ${section}`, `  text: ${scalar(text)}`].join('\n')
  const assumedWith = (outcome: Finding['outcome']) => {
    const ids = new Set<BasisId>()
    return report.findings.filter((each) => {
      if (each.outcome !== outcome || basis[each.basis].kind !== 'assumed' || ids.has(each.basis)) return false
      ids.add(each.basis)
      return true
    })
  }
  const told = new Set(
    report.findings.flatMap(({ discovery, basis: about }) =>
      discovery?.kind === 'value' || discovery?.kind === 'status' ? [about] : [],
    ),
  )
  const wrong = assumedWith('contradicted')
  const isWrong = new Set(wrong.map((finding) => finding.basis))
  const contradicted = wrong.flatMap((finding): Suggestion[] => {
    // A value or a status that was discovered has a suggestion of its own.
    if (told.has(finding.basis)) return []
    const id = next()
    return [
      {
        file: REGISTER,
        why: `${finding.basis} was contradicted: "${basis[finding.basis].text}" Rewrite it, or let its nodes rest on ${id}: ${nodesOf(finding.basis) || 'none but the register'}.`,
        yaml: entry(id, basis[finding.basis].section, `At ${where}, ${factOf(finding.message)}.`),
      },
    ]
  })
  const discovered = report.findings.flatMap(({ discovery, basis: about, place = '' }): Suggestion[] => {
    if (!discovery) return []
    const id = next()
    const [file = '', node = ''] = place.split('#')
    return [
      {
        file: REGISTER,
        why: `It is for ${file}.${isWrong.has(about) ? ` ${about} was contradicted: "${basis[about].text}" Rewrite it.` : ''}`,
        yaml: entry(id, basis[about].section, `At ${where}, ${sightOf(discovery)}.`),
      },
      { file, why: `${doing(discovery)} below ${node.slice(1).replaceAll('/', '.')}.`, yaml: nodeFor(discovery, id) },
    ]
  })
  const confirmed = assumedWith('confirmed').flatMap((finding): Suggestion[] => {
    const nodes = nodesOf(finding.basis)
    if (nodes === '') return []
    const id = next()
    return [
      {
        file: REGISTER,
        why: `${finding.basis} was confirmed, ${counted(finding.times, 'time')}. If ${host} is the service itself, let its nodes rest on ${id}: ${nodes}.`,
        yaml: entry(id, basis[finding.basis].section, basis[finding.basis].text),
      },
    ]
  })
  return [...contradicted, ...discovered, ...confirmed]
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
    ? `Put this in the place of '${successStatus(discovery.operation)}'`
    : 'Add this'

/** What was seen, without what was assumed. */
const factOf = (message: string): string => message.replace(/ is assumed to be [^,]+, and/, '')

function sightOf(discovery: Discovery): string {
  switch (discovery.kind) {
    case 'field':
      return `${discovery.schema} had the field ${discovery.name}, of the type ${discovery.type}`
    case 'value':
      return `${discovery.schema} was ${discovery.value}`
    case 'status':
      return `${discovery.operation} was answered ${discovery.status}`
    case 'header':
      return `an answer had the header ${discovery.name}`
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
        '  description: Seen in an answer; what it means is not known yet.',
        `  x-basis: [${id}]`,
      ].join('\n')
    case 'value':
      return [
        `${scalar(discovery.value)}:`,
        '  description: Seen in an answer; what it means is not known yet.',
        `  x-basis: [${id}]`,
      ].join('\n')
    case 'status':
      if (isSuccess(discovery.status)) return successNode(discovery.operation, discovery.status)
      return [
        `'${discovery.status}':`,
        '  description: Seen as an answer; what it means is not known yet.',
        `  x-basis: [${id}]`,
      ].join('\n')
    case 'header':
      return [
        `${scalar(discovery.name)}:`,
        '  description: Seen in an answer; what it means is not known yet.',
        '  schema:',
        '    type: string',
        `  x-basis: [${id}]`,
      ].join('\n')
  }
}

/** What the success of the contract answers, under another status. */
const successNode = (operation: OperationId, status: number): string => {
  const place = operationNodes[operation].responses[successStatus(operation)]?.place ?? ''
  return `'${status}':\n  $ref: ${place.replace('openapi/', '../')}`
}

/** A text as a YAML scalar: JSON is YAML, and what a service answers may hold anything. */
const scalar = (text: string): string =>
  /^[A-Za-z][\w-]*$/.test(text) && !WORDS.test(text) ? text : JSON.stringify(text)

const WORDS = /^(true|false|null|yes|no|on|off|y|n)$/i

/** Where an entry is named in the contract. */
function nodesOf(id: BasisId): string {
  const places = new Set<string>()
  for (const schema of Object.values(schemaNodes)) {
    const own = [schema.basis, ...Object.values(schema.values ?? {})]
    const all = [
      ...own,
      schema.transitions ?? [],
      ...Object.values(schema.properties ?? {}).map((property) => property.basis ?? []),
    ]
    if (all.some((ids) => ids.includes(id))) places.add(schema.place)
  }
  for (const operation of Object.values(operationNodes)) {
    if ([operation.basis, ...operation.parameters.map((each) => each.basis)].some((ids) => ids.includes(id)))
      places.add(operation.place)
    for (const response of Object.values(operation.responses))
      if (response.basis.includes(id) && response.place) places.add(response.place)
  }
  return [...places].join(', ')
}
