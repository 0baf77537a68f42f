import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type YAMLMap } from 'yaml'
import type { BasisEntry } from '../contract/index.js'
import type { Diagnostic } from '../support/diagnostics.js'

const FOLDER = 'openapi/workflows'

/** Where Arazzo has criteria: those of a step, and those of its actions. */
const CRITERIA = new Set(['successCriteria', 'criteria'])

/** Why any status from 200 to 299 is a success. It is derived, as no source states the statuses of successes. */
const SUCCESS = 'D03'

/** Which statuses are an end. Without it a poll could not end; it is the one assumption that a criterion may rest on. */
const ENDS = 'A07'

/** The criteria of the workflows whose `x-basis` names no stated entry, or one that is only assumed. */
export function lintWorkflows(root: string, register: readonly BasisEntry[]): Diagnostic[] {
  const folder = join(root, FOLDER)
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.yaml')) : []
  return files.flatMap((name) => {
    const file = `${FOLDER}/${name}`
    const lineCounter = new LineCounter()
    const document = parseDocument(readFileSync(join(root, file), 'utf8'), { lineCounter })
    const problems: Diagnostic[] = []
    const add = (offset: number, rule: string, message: string) => {
      const { line, col: column } = lineCounter.linePos(offset)
      problems.push({ file, line, column, rule, message })
    }
    for (const { message, pos } of document.errors) add(pos[0], 'yaml', message)
    visit(document, {
      Pair(_, { key, value }) {
        if (!isScalar(key) || !CRITERIA.has(String(key.value)) || !isSeq(value)) return
        for (const criterion of value.items) {
          const message = isMap(criterion) && problemOf(criterion, register)
          if (message) add(criterion.range?.[0] ?? 0, 'workflow-basis', message)
        }
      },
    })
    return problems
  })
}

function problemOf(criterion: YAMLMap, register: readonly BasisEntry[]): string | undefined {
  const { condition, 'x-basis': ids = [] } = criterion.toJSON() as { condition: string; 'x-basis'?: string[] }
  const named = [ids].flat().map((id) => ({ id, kind: register.find((entry) => entry.id === id)?.kind }))
  const unknown = named.find(({ kind }) => !kind)
  if (unknown) return `"${unknown.id}" is not in use in openapi/basis.yaml. Name an entry that is.`
  const assumed = named.find(({ id, kind }) => kind === 'assumed' && id !== ENDS)
  if (assumed)
    return `The criterion "${condition}" rests on ${assumed.id}, which is only assumed: a service may do otherwise. Take the criterion out.`
  if (named.some(({ id, kind }) => kind === 'stated' || id === SUCCESS || id === ENDS)) return undefined
  return `The criterion "${condition}" names no stated entry of openapi/basis.yaml. Add x-basis with one, for example "x-basis: [S06]".`
}
