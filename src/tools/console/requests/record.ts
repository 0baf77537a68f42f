import { type OperationId, protocol } from '../../../../generated/contract.js'
import { matchPath } from '../../../internal/contract/operations.js'
import { findRunId } from '../../../internal/contract/run-id.js'
import { STATUS } from '../../../internal/contract/status.js'
import { percentDecoded } from '../../../internal/http/url.js'
import type { RequestRecord } from '../../sandbox/log/request-record.js'
import type { Model, ShownRun } from '../model.js'

/** The requests of a run, newest first. */
export const requestsOf = ({ requests }: Model, { run }: ShownRun): RequestRecord[] =>
  requests.filter((record) => runIdOf(record) === run.id)

/** The id of the run that a request started or asked for. */
export function runIdOf({ operation, request, response }: RequestRecord): string | undefined {
  if (operation === 'getRun') return idIn(operation, request.path)
  return operation === 'triggerRun' ? startedIdOf(response) : undefined
}

/** The id of the run in the response to a trigger. */
export const startedIdOf = (response: Pick<NonNullable<RequestRecord['response']>, 'headers' | 'body'> | undefined) =>
  response && findRunId(headersOf(response), response.body)?.id

/** A header that was cut has a character that `Headers` refuses. */
const headersOf = ({ headers }: Pick<NonNullable<RequestRecord['response']>, 'headers'>) => ({
  get: (name: string) => Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1] ?? null,
})

/** Why a request got its response; undefined when it succeeded. */
export function refusalReason(record: RequestRecord, model: Model): string | undefined {
  const { reason, error, response, key } = record
  if (error !== undefined) return `The handler failed: ${error}`
  switch (reason?.type) {
    case 'key':
      return key === undefined
        ? 'The request has no key, or the key is not a bearer token.'
        : 'No workspace has this key.'
    case 'permission':
      return `The key "${key}" may not call ${reason.operation}.`
    case 'plan':
      return `The plan ${reason.plan} has no API access.`
    case 'limit':
      return `${reason.tokens.toFixed(1)} of ${reason.limit.burst} tokens were left; the next one is available in ${reason.retryAfter} s.`
    case 'validation': {
      const { in: location, name, pointer, keyword } = reason.problem
      return `${[location, name].filter(Boolean).join(' ')}${pointer ?? ''} does not match the contract (${keyword}).`
    }
    case 'fault':
      return `Fault ${reason.number}${response ? '' : ' (no response)'}.`
    case 'exercise':
      return `A situation of the exercise${response ? '' : ' (no response)'}.`
    default:
      if (response?.status === STATUS.notFound) return whyNotFound(record, model)
      return response ? undefined : 'The client disconnected before the response.'
  }
}

/** An id that is not there, or is another workspace's. */
function whyNotFound({ operation, request, key }: RequestRecord, { runs, runCount, playbooks, workspaces }: Model) {
  const id = operation && idIn(operation, request.path)
  if (id === undefined) return operation ? undefined : 'The path is not in the contract.'
  const isRun = operation === 'getRun'
  const found = isRun ? runs.find(({ run }) => run.id === id) : playbooks.find(({ playbook }) => playbook.id === id)
  const noun = isRun ? 'run' : 'playbook'
  const own = workspaces.find(({ keys }) => keys.some(({ name }) => name === key))?.name
  if (!found && isRun && runCount > runs.length) return 'No such run exists, or it is an old run of another workspace.'
  if (!found) return `No such ${noun} exists.`
  return found.workspace === own
    ? `The ${noun} did not exist yet.`
    : `The ${noun} belongs to the workspace "${found.workspace}", but the key "${key}" belongs to "${own}".`
}

/** The id in the path of a request; undecoded if it is not valid percent-encoding. */
function idIn(operation: OperationId, path: string): string | undefined {
  const [pathname = ''] = path.split('?')
  const below = pathname.startsWith(`${protocol.versionSegment}/`) ? protocol.versionSegment.length : 0
  const id = matchPath(pathname.slice(below)).find((each) => each.operation === operation)?.values[0]
  return id && (percentDecoded(id) ?? id)
}
