import { always, reply } from '../changes.js'
import { authenticate, body as checkBody, find, limit, parameters, permit } from '../plain.js'
import type { Change, Context, Json, Reply, Stage } from '../types.js'
import { of, type Rows } from './resources.js'

const errors =
  (shape: (code: string, message: string, status: number) => Omit<Reply, 'status'>): Change =>
  () => ({
    error: (_c, status, code, message) => ({ status, ...shape(code, message, status) }),
  })
const order =
  (...stages: Stage[]): Change =>
  () => ({ stages })
const header = (c: Context) => c.request.headers.get('authorization') ?? ''
const scheme =
  (pattern: RegExp): Change =>
  () => ({ credentials: (c) => pattern.exec(header(c))?.[1] })
const forbidden =
  (no: (c: Context) => boolean): Change =>
  (base) => ({ permitted: (c) => !no(c) && base.permitted(c) })
const reader = (c: Context) => c.principal.readOnly
const hobby =
  (status: number): Change =>
  (base) => ({
    error: (c, was, code, message) => base.error(c, was === 403 && c.principal.hobby ? status : was, code, message),
  })
const elsewhere: Change = (base) => ({
  error(c, status, code, message) {
    const { principals } = c.world
    const exists = principals.some(({ workspace: { playbooks, runs } }) =>
      [...playbooks, ...runs].some(({ id }) => id === c.id),
    )
    return status === 404 && exists
      ? base.error(c, 403, 'forbidden', 'Not yours.')
      : base.error(c, status, code, message)
  },
})
const pin = (c: Context) => c.request.headers.get('service-version')
const pins =
  (wrong: (pin: string) => boolean): Change =>
  (base) => ({
    wrongParameter: (c) => {
      const value = pin(c)
      return value !== null && wrong(value) ? `The release ${value} is unknown.` : base.wrongParameter(c)
    },
  })
const sent = (c: Context): Json => {
  try {
    return (JSON.parse(new TextDecoder().decode(c.body)) as { inputs: Json }).inputs
  } catch {
    return {}
  }
}
const inputs =
  (wrong: (inputs: Json) => boolean): Change =>
  (base) => ({
    wrongBody: (c) => base.wrongBody(c) ?? (wrong(c.inputs) ? 'The playbook does not accept these inputs.' : undefined),
  })
/** Accepts inputs for which the plain service has this reason to refuse them. */
const accepts =
  (reason: RegExp, also: (c: Context) => boolean = () => true): Change =>
  (base) => ({
    wrongBody: (c) => {
      const wrong = base.wrongBody(c)
      return wrong && reason.test(wrong) && also(c) ? undefined : wrong
    },
  })
/** Reads a body of these content types as JSON, too. */
const typed =
  (also: (type: string | null) => boolean): Change =>
  (base) => ({
    wrongBody: (c) => {
      const json = new Request(c.request.url, { headers: { 'content-type': 'application/json' } })
      return base.wrongBody(also(c.request.headers.get('content-type')) ? { ...c, request: json } : c)
    },
  })
/** Reads bytes that are not UTF-8 as U+FFFD, as `JSON.parse` of a Buffer does. */
const lenient: Change = (base) => ({
  wrongBody: (c) => {
    c.body = new TextEncoder().encode(new TextDecoder().decode(c.body))
    return base.wrongBody(c)
  },
})
const notStarted = (over: Reply, instead = [201]): Change =>
  reply(of('triggerRun'), (was) => (instead.includes(was.status) ? over : was))
const key =
  (valid: string): Change =>
  () => ({
    setUp: ({ principals }) => {
      principals[0]!.key = valid
    },
  })
/** Refuses wrong keys for a while after so many wrong keys within a minute. */
const tooMany =
  (allowed: number, wait: number): Change =>
  (base) => {
    const wrong: number[] = []
    return {
      unauthorized(c, key) {
        const recent = wrong.filter((at) => c.now - at < wait * 1000).length
        if (recent > allowed) return base.limited(c, wait)
        wrong.push(c.now)
        return base.unauthorized(c, key)
      },
    }
  }

// biome-ignore format: a row is a line
export const requests: Record<string, Rows> = {
  'bodies of errors': [
    ['problem+json', errors((title, detail, status) => ({ body: { type: 'about:blank', title, detail, status }, headers: { 'content-type': 'application/problem+json' } }))],
    ['plain text', errors((_, text) => ({ text, headers: { 'content-type': 'text/plain' } }))],
    ['no body', errors(() => ({}))],
    ['HTML', errors((code) => ({ text: `<h1>${code}</h1>`, headers: { 'content-type': 'text/html' } }))],
    ['a list of errors', errors((code, detail) => ({ body: { errors: [{ code, detail }] } }))],
    ['an object in error', errors((code, message) => ({ body: { error: { code, message } } })), 'A17'],
    ['numeric codes', errors((_, message, status) => ({ body: { error: status, message } })), 'A17'],
    ['null for message', errors((error) => ({ body: { error, message: null } })), 'A17'],
    ['a JSON string', errors((_, message) => ({ body: message }))],
    ['a list', errors((code) => ({ body: [code] })), 'A17'],
    ['an empty object', errors(() => ({ body: {} }))],
    ['an id beside the error', errors((error, message) => ({ body: { id: 'err_1', error, message } }))],
    ['messages in German', errors((error) => ({ body: { error, message: 'Nein, so nicht. Bitte prüfen.' } }))],
    ['codes in capital letters', errors((code, message) => ({ body: { error: code.toUpperCase(), message } }))],
    ['a request id and a link', errors((error, message) => ({ body: { error, message, request_id: 'r1', help: '/docs' } }))],
    ['no body for 401, text for 404', errors((error, text, status) => (status === 401 ? {} : status === 404 ? { text } : { body: { error } }))],
    ['the version and the region in every body', reply(always, (was) => (was.status === 204 ? was : { ...was, body: { ...(was.body as Json), api_version: 'v1.4.2', region: 'eu-west-1', deployment_id: 'dep_2026x4' } }))],
    ['reason phrases of its own', errors((error, message) => ({ body: { error, message }, statusText: 'Sorry About That' }))],
    ['WWW-Authenticate', errors((error) => ({ body: { error }, headers: { 'www-authenticate': 'Bearer realm="api"' } }))],
  ],
  'other wrong requests': [
    ['404 for unknown paths before the key', (base) => ({ arrive: (c) => (c.operation ? undefined : base.error(c, 404, 'not_found', 'No.')) })],
    ['405 for other methods', reply((c) => !c.operation && c.request.method !== 'GET', (was) => ({ ...was, status: 405, headers: { allow: 'GET' } }))],
    ['415 for other content types', (base) => ({ error: (c, status, code, message) => base.error(c, /application/.test(message) ? 415 : status, code, message) })],
    ['413 for more than 64 kB', (base) => ({ arrive: (c) => (c.body.length > 65_536 ? base.error(c, 413, 'too_large', 'Too large.') : undefined) })],
    ['no content type needed', typed((type) => type === null)],
    ['other JSON content types', typed((type) => /^application\/[\w.]+\+json$/.test(type ?? ''))],
    ['the body before the permission', order(authenticate, limit, parameters, checkBody, permit, find)],
    ['the id before the body', order(authenticate, limit, permit, parameters, find, checkBody)],
    ['the id before the permission', order(authenticate, limit, parameters, find, permit, checkBody)],
    ['parameters, body and id before the permission', order(authenticate, limit, parameters, checkBody, find, permit)],
    ['the body before the key', order(checkBody, authenticate, limit, permit, parameters, find)],
    ['parameters and body before the key', order(parameters, checkBody, authenticate, limit, permit, find)],
    ['400 for unknown query parameters, before the key', (base) => ({ arrive: (c) => ([...c.url.searchParams.keys()].every((name) => name === 'page') ? undefined : base.error(c, 400, 'bad_request', 'Unknown query parameter.')) })],
    ['400 for paths with an encoded slash or percent sign', (base) => ({ arrive: (c) => (/%2f|%25/i.test(c.request.url) ? base.error(c, 400, 'bad_request', 'Suspicious path.') : undefined) })],
    ['the permission before the limit', order(authenticate, permit, limit, parameters, checkBody, find)],
    ['the limit last', order(authenticate, permit, parameters, checkBody, find, limit)],
  ],
  'inputs that are accepted': [
    ['numbers', accepts(/strings/, (c) => Object.values(sent(c)).every((value) => typeof value !== 'object'))],
    ['null', accepts(/strings/, (c) => Object.values(sent(c)).every((value) => typeof value === 'string' || value === null))],
    ['every JSON value', accepts(/strings/)],
    ['other properties beside inputs', accepts(/besides/)],
    ['bytes that are not UTF-8, beside inputs', (base) => lenient({ ...base, ...accepts(/besides/)(base) })],
    ['only a known one', inputs((all) => Object.keys(all).some((name) => name !== 'order'))],
    ['only with the one that is required', inputs((all) => all.order === undefined)],
    ['only digits', inputs((all) => Object.values(all).some((value) => !/^\d+$/.test(String(value))))],
    ['at most 1,000 characters', inputs((all) => Object.values(all).some((value) => String(value).length > 1000))],
    ['at most ten', inputs((all) => Object.keys(all).length > 10)],
    ['no empty names', inputs((all) => Object.keys(all).includes(''))],
    ['no empty values', inputs((all) => Object.values(all).includes(''))],
  ],
  permissions: [
    ['the read-only key does not read providers', forbidden((c) => reader(c) && c.operation === 'listProviders')],
    ['the read-only key does not read the workspace', forbidden((c) => reader(c) && c.operation === 'getCurrentWorkspace')],
    ['the read-only key does not read runs', forbidden((c) => reader(c) && c.operation === 'getRun')],
    ['the read-only key reads runs only', forbidden((c) => reader(c) && c.operation !== 'getRun')],
    ['the key may not trigger', forbidden((c) => c.principal === c.world.principals[0] && c.operation === 'triggerRun'), 'a permission'],
    ['the other key may not trigger', forbidden((c) => c.principal.workspace.id === 'ws_bolt' && c.operation === 'triggerRun')],
    ...[401, 402, 404, 426].map((status): Rows[number] => [`${status} without API access`, hobby(status)]),
    ['403 for what another workspace has', elsewhere],
  ],
  'run that is not started': [
    ['400 to the inputs', notStarted({ status: 400, body: { error: 'bad_request', message: 'The playbook does not accept these inputs.' } }), 'A22'],
    ['400 to the inputs, before the id is looked up', notStarted({ status: 400, body: { error: 'bad_request', message: 'The playbook does not accept these inputs.' } }, [201, 404]), 'A22'],
    ['422 to the inputs', notStarted({ status: 422, body: { error: 'unprocessable', message: 'The playbook does not accept these inputs.' } }), 'A22'],
    ['402 over the run quota', notStarted({ status: 402, body: { error: 'payment_required', message: 'No runs are left.' } }), 'A57'],
    ['429 over the run quota', notStarted({ status: 429, body: { error: 'run_quota_exceeded', message: 'No runs are left.' } }), 'A57'],
    ['429 of the rate limit over the run quota', notStarted({ status: 429, headers: { 'retry-after': '3600' }, body: { error: 'rate_limit_exceeded', message: 'Over 60 requests per minute.', retry_after: 3600 } }), 'A57'],
    ['429 that is a page over the run quota', notStarted({ status: 429, text: '<h1>No runs are left</h1>', headers: { 'content-type': 'text/html' } }), 'A57'],
  ],
  keys: [
    ['a word', key('run')],
    ['a letter', key('a')],
    ['a key with signs', key('p+/=~._-Z9')],
    ['the scheme as written only', scheme(/^Bearer (\S+)$/)],
    ['spaces before the key', scheme(/^Bearer +(\S+)$/i)],
    ['429 after 10 wrong keys', tooMany(10, 20)],
    ['429 after 20 wrong keys', tooMany(20, 60)],
    ['429 after 30 wrong keys', tooMany(30, 5)],
    ['429 after 50 wrong keys', tooMany(50, 30)],
  ],
  pins: [
    ['unknown releases fail with 400', pins((value) => value !== '2026-11-21')],
    ['future releases fail with 400', pins((value) => value > '2026-11-22')],
    ['releases before the first fail with 400', pins((value) => value < '2026-01-01')],
    ['malformed releases are ignored', (base) => ({ wrongParameter: (c) => [base.wrongParameter(c)].find((wrong) => !wrong?.includes('Service-Version')) })],
    ['the release in the response', reply(() => true, (was, c) => ({ ...was, headers: { 'service-version': pin(c) ?? '2026-11-22', ...was.headers } }))],
    ['the oldest release by default', reply(() => true, (was, c) => ({ ...was, headers: { 'service-version': pin(c) ?? '2026-01-01', ...was.headers } }))],
    ['a warning about old releases', reply((c) => pin(c) !== null, (was) => ({ ...was, headers: { deprecation: '@1790000000', ...was.headers } }))],
    [
      'unknown releases fail with 404',
      (base) => ({
        ...pins((value) => value !== '2026-11-21' && /^\d{4}-\d\d-\d\d$/.test(value))(base),
        error: (c, status, code, message) => base.error(c, /unknown/.test(message) ? 404 : status, code, message),
      }),
    ],
    ['a newer release has more fields', reply((c) => of('getRun')(c) && pin(c) === null, (was) => ({ ...was, body: { ...(was.body as Json), labels: [] } }))],
  ],
}
