import { type BasisId, basis } from '../../../generated/operations.js'
import { sections } from './group.js'
import type { Finding, Report } from './types.js'

const LEVELS = { fail: 'error', contradicted: 'warning', discovered: 'note' } as const

/** A report as SARIF 2.1.0: a rule for each entry of the register, and a result for each group of findings. */
export function renderSarif(report: Report): string {
  const results = sections(report).flatMap(({ outcome, rows }) => {
    const level = outcome === report.failOn ? 'error' : LEVELS[outcome as keyof typeof LEVELS]
    return level === undefined
      ? []
      : rows.flatMap(({ groups }) => groups.map(([finding, ...more]) => resultOf(finding, more, level)))
  })
  const rules = (Object.keys(basis) as BasisId[]).map((id) => ({
    id,
    shortDescription: { text: basis[id].text },
    properties: { kind: basis[id].kind, section: basis[id].section },
  }))
  const driver = { name: 'workflow-automation verify', rules }
  const invocation = { executionSuccessful: report.complete, startTimeUtc: report.startedAt }
  const run = { tool: { driver }, invocations: [invocation], results }
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json'
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2)}\n`
}

function resultOf(finding: Finding, more: readonly Finding[], level: string) {
  const { basis: ruleId, message, location = '', times, relation, variation, curl, expected, actual } = finding
  const [uri = '', pointer = ''] = location.split('#')
  const also = more.length > 0 ? ` And ${more.length} more of the kind.` : ''
  return {
    ruleId,
    level,
    message: { text: `${message}.${also}` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uri || 'openapi.yaml' }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: pointer || ruleId }],
      },
    ],
    partialFingerprints: { relation: [ruleId, relation, variation ?? message].join(' ') },
    properties: { times: times + more.length, relation, variation, expected, actual, curl },
  }
}
