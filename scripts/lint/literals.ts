import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { knownValues, plans } from '../../generated/contract.js'
import type { Diagnostic } from '../support/diagnostics.js'
import { filesBelow } from '../support/files.js'

interface Literal {
  found: RegExp
  message: string
}

const quoted = (values: readonly string[]) => new RegExp(`(['"\`])(?:${values.join('|')})\\1`)

/** A key of the default world is named after a plan without access. */
const paid = Object.entries(plans).flatMap(([id, { apiAccess }]) => (apiAccess ? [id] : []))
const status = quoted([...knownValues.RunStatus, ...knownValues.StepStatus]).source
/** Outcomes of checks and events may have the same words, so only a line that speaks of a status is searched. */
const ofStatus = new RegExp(`(?<=status.*)${status}|${status.replace('\\1', '\\2')}(?=.*status)`, 'i')

/** Literals that code must take from the contract. */
const LITERALS: Literal[] = [
  {
    found: quoted(paid),
    message: 'This is the id of a plan. Take it from "planIds" or "plans" of generated/contract.ts.',
  },
  {
    found: ofStatus,
    message: 'This is a status. Take it from RUN_STATUS or STEP_STATUS of src/shared/run-status.ts.',
  },
  {
    found: /\/v\d+\b/,
    message: 'This is the version of the path. Take it from "protocol.versionSegment" of generated/contract.ts.',
  },
]

/** Literals of the contract in code, each with its location. */
export function lintLiterals(root: string): Diagnostic[] {
  const files = ['src', 'site', 'scripts'].flatMap((folder) =>
    filesBelow(root, folder).filter((file) => /\.(ts|tsx|js)$/.test(file)),
  )
  return files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    return lines.flatMap((text, index) =>
      LITERALS.flatMap(({ found, message }) => {
        const column = text.search(found)
        return column < 0 ? [] : [{ file, line: index + 1, column: column + 1, rule: 'literal', message }]
      }),
    )
  })
}
