import { operationNodes, schemaNodes } from '../../../generated/conformance.js'
import { type BasisId, basis } from '../../../generated/operations.js'
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
  const assumed = (outcome: Finding['outcome']) => {
    const ids = new Set<BasisId>()
    return report.findings.filter((each) => {
      if (each.outcome !== outcome || basis[each.basis].kind !== 'assumed' || ids.has(each.basis)) return false
      ids.add(each.basis)
      return true
    })
  }
  const contradicted = assumed('contradicted').map((finding): Suggestion => {
    const id = next()
    return {
      file: REGISTER,
      why: `Append. ${finding.basis} was contradicted: "${basis[finding.basis].text}" Rewrite it, or let its nodes rest on ${id}: ${nodesOf(finding.basis)}.`,
      yaml: entry(id, basis[finding.basis].section, `At ${where}, ${finding.message}.`),
    }
  })
  const discovered = report.findings.flatMap(({ discovery, basis: about, place = '', message }): Suggestion[] => {
    if (!discovery) return []
    const id = next()
    const [file = '', node = ''] = place.split('#')
    return [
      {
        file: REGISTER,
        why: 'Append.',
        yaml: entry(id, basis[about].section, `At ${where}, ${message}.`),
      },
      { file, why: `Add below ${node.slice(1).replaceAll('/', '.')}.`, yaml: nodeFor(discovery, id) },
    ]
  })
  const confirmed = assumed('confirmed').map((finding): Suggestion => {
    const id = next()
    return {
      file: REGISTER,
      why: `Append, when ${host} is the service itself. ${finding.basis} was confirmed, ${counted(finding.times, 'time')}; let its nodes rest on ${id}: ${nodesOf(finding.basis)}.`,
      yaml: entry(id, basis[finding.basis].section, basis[finding.basis].text),
    }
  })
  return [...contradicted, ...discovered, ...confirmed]
}

/** The suggestions as text, each block YAML for the file that is named above it. */
export function renderSuggestions(report: Report): string {
  const all = suggestions(report)
  if (all.length === 0) return '# The findings call for no change of the contract.\n'
  return all.map(({ file, why, yaml }) => `# ${file}\n# ${why}\n${yaml}\n`).join('\n')
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

/** A text as a YAML scalar: JSON is YAML, and what a service answers may hold anything. */
const scalar = (text: string): string =>
  /^[A-Za-z][\w-]*$/.test(text) && !WORDS.test(text) ? text : JSON.stringify(text)

const WORDS = /^(true|false|null|yes|no|on|off|y|n)$/i

/** Where an entry is named in the contract. */
function nodesOf(id: BasisId): string {
  const places = new Set<string>()
  for (const schema of Object.values(schemaNodes)) {
    const own = [schema.basis, ...Object.values(schema.values ?? {})]
    const all = [...own, ...Object.values(schema.properties ?? {}).map((property) => property.basis ?? [])]
    if (all.some((ids) => ids.includes(id))) places.add(schema.place)
  }
  for (const operation of Object.values(operationNodes)) {
    if ([operation.basis, ...operation.parameters.map((each) => each.basis)].some((ids) => ids.includes(id)))
      places.add(operation.place)
    for (const response of Object.values(operation.responses))
      if (response.basis.includes(id) && response.place) places.add(response.place)
  }
  return places.size > 0 ? [...places].join(', ') : 'none but the register'
}
