import { reply } from '../changes.js'
import type { Change, Context, Operation, Reply, Run } from '../types.js'
import { of, type Rows } from './resources.js'

const page = (title: string) => ({ text: `<h1>${title}</h1>`, headers: { 'content-type': 'text/html' } })
// biome-ignore format: a row is a line
const FAILURES: Record<string, Reply | 'no response'> = {
  '500': { status: 500, body: { error: 'internal_error', message: 'The service failed.' } },
  '502 of a gateway': { status: 502, ...page('Bad Gateway') },
  '503 with Retry-After': { status: 503, headers: { 'retry-after': '2' } },
  '504 of a gateway': { status: 504, ...page('Gateway Timeout') },
  'no response': 'no response',
}
function fail(kind: string): Reply {
  const failure = FAILURES[kind]!
  if (failure === 'no response') throw new TypeError('fetch failed')
  return failure
}
/** Fails from the request with this number, or after so many ms, for a while. */
const outage =
  (kind: string, starts: (c: Context) => boolean, ms: number): Change =>
  () => {
    let until: number | undefined
    return {
      arrive(c) {
        if (until === undefined && starts(c)) until = c.now + ms
        return until !== undefined && c.now < until ? fail(kind) : undefined
      },
    }
  }
const sporadic =
  (kind: string, when: (c: Context) => boolean): Change =>
  () => ({
    arrive: (c) => (when(c) ? fail(kind) : undefined),
  })
const outages = (): Rows => {
  const starts: [string, (c: Context) => boolean][] = [
    ...[2, 9, 23, 41, 67, 120].map((count): [string, (c: Context) => boolean] => [
      `from request ${count}`,
      (c) => c.count >= count,
    ]),
    ['after 20 s', (c) => c.now - c.world.created > 20_000],
    ['at the first trigger', of('triggerRun')],
    ['at the first read of a run', of('getRun')],
  ]
  const kinds = Object.keys(FAILURES)
  return starts.flatMap(([when, start], row) =>
    [4, 8, 15].map((seconds, column): Rows[number] => {
      const kind = kinds[(row * 3 + column) % kinds.length]!
      return [`${kind} for ${seconds} s ${when}`, outage(kind, start, seconds * 1000)]
    }),
  )
}
const readableAfter =
  (ms: number): Change =>
  (base) => ({
    findRun: (c) => [base.findRun(c)].find((run) => run && c.now - run.at >= ms),
  })
/** Removes a run some time after its end; it ends three seconds after its start or its first approval. */
const keptAfterEnd = (ms: number, status: number): Change => {
  const approvals = new Map<string, number>()
  const onceApproved = (run: Run): Run => {
    if (run.approvedAt !== undefined && !approvals.has(run.id)) approvals.set(run.id, run.approvedAt)
    const approvedAt = approvals.get(run.id)
    return { ...run, ...(approvedAt !== undefined && { approvedAt }) }
  }
  const isGone = (run: Run | undefined, now: number) => {
    if (!run) return false
    const waits = run.playbook.steps.some(({ outcome }) => outcome === 'waiting_approval')
    return now - ((waits ? onceApproved(run).approvedAt : run.at) ?? now) > 3000 + ms
  }
  return (base) => ({
    findRun: (c) => [base.findRun(c)].find((run) => !isGone(run, c.now)),
    steps: (c, run) => base.steps(c, onceApproved(run)),
    finish: (c, was) =>
      c.operation === 'getRun' && was.status === 404 && isGone(base.findRun(c), c.now)
        ? { ...base.finish(c, was), status }
        : base.finish(c, was),
  })
}
const headers = (more: Record<string, string>): Change =>
  reply(
    () => true,
    (was) => ({ ...was, headers: { ...more, ...was.headers } }),
  )
const text = (edit: (json: string) => string): Change =>
  reply(
    (c) => c.operation !== undefined,
    (was) =>
      was.body === undefined || was.text !== undefined
        ? was
        : {
            ...was,
            text: edit(JSON.stringify(was.body)),
            headers: { 'content-type': 'application/json', ...was.headers },
          },
  )
const latency =
  (ms: (c: Context) => number, only: (c: Context) => boolean = () => true): Change =>
  (base) => ({
    async arrive(c) {
      if (only(c)) await c.world.sleep(ms(c))
      return base.arrive(c)
    },
  })
const type = (value: string): Change =>
  reply(
    (_) => true,
    (was) =>
      was.body === undefined || was.headers?.['content-type']
        ? was
        : { ...was, headers: { 'content-type': value, ...was.headers } },
  )
const success = (operation: Operation, status: number): Change =>
  reply(of(operation), (was) => (was.status === 200 ? { ...was, status } : was))

// biome-ignore format: a row is a line
export const operation: Record<string, Rows> = {
  outages: outages(),
  'failures now and then': [
    ['500 at every eleventh request', sporadic('500', (c) => c.count % 11 === 5)],
    ['502 at every seventeenth request', sporadic('502 of a gateway', (c) => c.count % 17 === 9)],
    ['no response to every nineteenth request', sporadic('no response', (c) => c.count % 19 === 7)],
    ['503 to every trigger', sporadic('503 with Retry-After', of('triggerRun')), 'A13'],
    ['503 to the first request', sporadic('503 with Retry-After', (c) => c.count === 1)],
    ['500 for two seconds of each minute', sporadic('500', (c) => (c.now - c.world.created) % 60_000 > 58_000)],
    ['providers fail for ten seconds', outage('500', (c) => c.operation === 'listProviders', 2000)],
  ],
  'consistency in the end': [
    ...[300, 1000, 2000, 3000, 7000, 9500, 25_000].map((ms): Rows[number] => [`runs can be read after ${ms} ms`, readableAfter(ms)]),
    ['runs can be read after 1 to 3 s', (base) => ({ findRun: (c) => [base.findRun(c)].find((run) => run && c.now - run.at >= 1000 + (run.at % 3) * 1000) })],
    ['runs are kept for six seconds after their end', keptAfterEnd(6000, 404)],
    ['runs are kept for three seconds after their end, and get 410 then', keptAfterEnd(3000, 410)],
    ['runs can be read after 2 s with the other keys', (base) => ({ findRun: (c) => [base.findRun(c)].find((run) => run && (!c.principal.readOnly || c.now - run.at >= 2000)) })],
  ],
  gateways: [
    ['a proxy', headers({ via: '1.1 varnish', 'x-cache': 'MISS', age: '0' })],
    ['request ids', headers({ 'x-request-id': '7f3c', 'x-runtime': '0.01' })],
    ['a name and its cookies', headers({ server: 'nginx', 'set-cookie': 'lb=a; Path=/' })],
    ['caching headers', headers({ 'cache-control': 'private, max-age=60', etag: '"a"', vary: 'authorization' })],
    ['security headers', headers({ 'strict-transport-security': 'max-age=1', 'x-content-type-options': 'nosniff' })],
    ['the limit in headers', headers({ 'ratelimit-policy': '"pro";q=60;w=60', 'x-ratelimit-limit': '60' })],
    ['a charset', type('application/json; charset=utf-8')],
    ['a media type of its own', type('application/vnd.acme.v1+json')],
    ['a media type in capital letters', type('Application/JSON')],
    ['a property named __proto__', text((json) => json.replace('{', '{"__proto__":{"x":1},'))],
    ['whole numbers written as 4.0', text((json) => json.replace(/"total":(\d+)/, '"total":$1.0'))],
    ['JSON in many lines', text((json) => JSON.stringify(JSON.parse(json), null, 2))],
    ['a line feed after the JSON', text((json) => `${json}\n`)],
    ['escaped characters', text((json) => json.replaceAll('/', '\\/'))],
    ['reason phrases of its own', reply(() => true, (was) => ({ statusText: was.status < 300 ? 'Fine' : 'Not Fine', ...was }))],
    ['203 for a workspace', success('getCurrentWorkspace', 203)],
    ['202 for a run', success('getRun', 202)],
    ['203 for lists', (base) => ({ list: (c) => ({ ...base.list(c), status: 203 }) })],
  ],
  latency: [
    ['20 ms', latency(() => 20)],
    ['150 ms', latency(() => 150)],
    ['900 ms', latency(() => 900)],
    ['9 s', latency(() => 9000)],
    ['20 to 900 ms', latency((c) => 20 + ((c.count * 331) % 880))],
    ['a slow trigger', latency(() => 2000, of('triggerRun'))],
    ['a slow list', latency(() => 1200, of('listPlaybooks'))],
  ],
}
