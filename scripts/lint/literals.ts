import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { knownValues, planIds, plans, protocol } from '../../generated/operations.js'
import type { Diagnostic } from '../support/diagnostics.js'

interface Literal {
  /** Below these folders. */
  in: RegExp
  except?: RegExp
  found: RegExp
  message: string
}

const quoted = (values: readonly string[]) => new RegExp(`(['"\`])(?:${values.join('|')})\\1`)

/** A key of the default world is named after a plan without access. */
const paid = Object.entries(plans).flatMap(([id, { apiAccess }]) => (apiAccess ? [id] : []))
const status = quoted([...knownValues.RunStatus, ...knownValues.StepStatus]).source
/** Outcomes of checks and events may have the same words, so only a line that speaks of a status is searched. */
const ofStatus = new RegExp(`(?<=status.*)${status}|${status.replace('\\1', '\\2')}(?=.*status)`, 'i')

/** What is written in the contract, and where code has it from. */
const LITERALS: Literal[] = [
  {
    in: /^(src|site|scripts)\//,
    found: quoted(paid),
    message: 'This is the id of a plan. Take it from "planIds" or "plans" of generated/operations.ts.',
  },
  {
    in: /^(src|site|scripts)\//,
    found: ofStatus,
    message: 'This is a status. Take it from RUN_STATUS or STEP_STATUS of src/internal/contract/run.ts.',
  },
  {
    in: /^(src|site|scripts)\//,
    found: /\/v\d+\b/,
    message: 'This is the version of the path. Take it from "protocol.versionSegment" of generated/operations.ts.',
  },
  {
    in: /^test\//,
    except: /^test\/(build|document|lint|rehearsal|release)\//,
    found: quoted(paid.filter((id) => id !== planIds.default)),
    message: 'A contract may lose this plan. Take "planIds.largest" of generated/operations.ts.',
  },
  {
    in: /^test\/(assumptions|cli|client|conformance|console|readme|recorded|redis|sandbox|service|site|start|support|testing)\//,
    found: new RegExp(`(?<!\\*.*)${protocol.versionSegment}\\b`),
    message: 'This is the version of the path. Take VERSION of test/support/fixtures.ts.',
  },
  {
    in: /^test\//,
    except: /^test\/(build|conformance|interop|lint|matrix|rehearsal|types|support\/fixtures)/,
    found: /\bmeta: \{ total: .*\bper_page\b.*\bdata\b|\bdata\b.*\bmeta: \{ total: .*\bper_page\b/,
    message:
      'This is a list. Take it from "listOf" of test/support/fixtures.ts, so that a new required property changes no test.',
  },
  {
    in: /^test\//,
    except: /^test\/(build|conformance|interop|lint|matrix|rehearsal|types)/,
    found: /\bstatus: '(?:paused|cancelled|canceled|queued|skipped|expired|archived)'/,
    message: 'A contract may come to have this status. Take UNKNOWN_STATUS of test/support/fixtures.ts.',
  },
]

/** Literals of the contract in code and in tests, each with its location. */
export function lintLiterals(root: string): Diagnostic[] {
  const files = ['src', 'site', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((file) => `${folder}/${file}`.replaceAll('\\', '/'))
      .filter((file) => /\.(ts|tsx|js)$/.test(file) && !file.includes('node_modules')),
  )
  return files.flatMap((file) => {
    const rules = LITERALS.filter((each) => each.in.test(file) && !each.except?.test(file))
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    return lines.flatMap((text, index) =>
      rules.flatMap(({ found, message }) => {
        const column = text.search(found)
        return column < 0 ? [] : [{ file, line: index + 1, column: column + 1, rule: 'literal', message }]
      }),
    )
  })
}
