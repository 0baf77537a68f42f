import type { ListMeta, RateLimitBody, Run } from '../../generated/types.js'
import { isListMeta, isRateLimitBody, isRun, type Problem } from '../../generated/validators.js'
import { quote } from './text.js'

/** What a schema cannot say: how the parts of one answer belong together. */
export function semanticProblems(schema: string, body: unknown, headers: Headers): Problem[] {
  if (schema === 'RateLimitBody' && isRateLimitBody(body)) return retryAfterProblems(body, headers)
  if (schema === 'Run' && isRun(body)) return runProblems(body)
  const { data, meta } = (typeof body === 'object' && body !== null ? body : {}) as { data?: unknown; meta?: unknown }
  return Array.isArray(data) && isListMeta(meta) ? listProblems(data.length, meta) : []
}

/** Basis: S32. */
function retryAfterProblems({ retry_after }: RateLimitBody, headers: Headers): Problem[] {
  const header = headers.get('retry-after')
  if (header === null || Number(header) === retry_after) return []
  const message = `the header "Retry-After" is ${quote(header)}, and retry_after in the body is ${retry_after}`
  return [{ ...semantic('', message), in: 'header', name: 'Retry-After' }]
}

/** Basis: S08, S10. */
function runProblems({ started_at, steps }: Run): Problem[] {
  const problems: Problem[] = []
  if (Number.isNaN(Date.parse(started_at)))
    problems.push(semantic('/started_at', `started_at is no time: ${quote(started_at)}`))
  const ids = steps.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) < index)
  if (twice !== undefined) problems.push(semantic('/steps/0/id', `two steps of the run have the id ${quote(twice)}`))
  return problems
}

/** Basis: S15. */
function listProblems(count: number, { total, per_page }: ListMeta): Problem[] {
  if (count > total) return [semantic('/meta/total', `meta.total is ${total}, and the page alone has ${count} items`)]
  if (count > per_page)
    return [semantic('/meta/per_page', `meta.per_page is ${per_page}, and the page has ${count} items`)]
  return []
}

/** A problem that no JSON Schema keyword states. */
const semantic = (pointer: string, message: string): Problem => ({
  in: 'body',
  name: pointer.slice(1).replaceAll('/', '.'),
  pointer,
  keyword: 'semantics',
  params: {},
  message,
})
