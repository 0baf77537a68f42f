import { body, instead } from '../changes.js'
import type { Json } from '../types.js'
import {
  as,
  BAD,
  byReader,
  crashes,
  failing,
  INVALID,
  internal,
  isJson,
  LACKS,
  NONE,
  noKey,
  pin,
  pinned,
  poll,
  type Row,
  send,
  THOROUGH,
  TRANSIENT,
  wrong,
} from './frame.js'

export const KEYS_AND_ERRORS: Row[] = [
  [
    INVALID,
    'a client without a key is redirected to a page to log in',
    (base) => ({
      unauthorized: (c, key) =>
        key === undefined
          ? { status: 302, text: '<html>Log in</html>', headers: { location: '/login', 'content-type': 'text/html' } }
          : base.unauthorized(c, key),
    }),
    send('getCurrentWorkspace', noKey),
  ],
  [
    INVALID,
    'a wrong body is refused with 400 before the key is looked at',
    (base) => ({
      stages: [
        (c) => (c.operation === 'triggerRun' && c.does.wrongBody(c) ? as(400, { error: 'bad_request' })() : undefined),
        ...base.stages,
      ],
    }),
    send('triggerRun', { key: 'wfk_unknown', body: '{"inputs":7}' }),
  ],
  [
    INVALID,
    'an unknown key gets 200 and an envelope of an error',
    failing(401)((was, c) =>
      c.request.headers.has('authorization') ? { status: 200, body: { ok: false, error: was.body } } : was,
    ),
    send('listPlaybooks', { key: 'wfk_unknown' }),
  ],
  [
    LACKS,
    'a trigger with a read-only key gets 401',
    failing(403)((was, c) => (c.principal.readOnly ? { ...was, status: 401 } : was)),
    send('triggerRun', byReader),
  ],
  [
    NONE,
    'an unknown run is null',
    failing(404)((was, c) =>
      c.operation === 'getRun' ? { status: 200, text: 'null', headers: { 'content-type': 'application/json' } } : was,
    ),
    send('getRun', { id: 'run_none' }),
  ],
  [
    NONE,
    'a trigger of an unknown playbook is accepted',
    failing(404)((was, c) =>
      c.operation === 'triggerRun' ? { status: 202, body: { id: 'run_0', status: 'queued' } } : was,
    ),
    send('triggerRun', { id: 'pb_none' }),
  ],
  [
    NONE,
    'an id that is not ASCII is an internal error',
    failing(404)((was, c) => (/[^ -~]/.test(c.id) ? internal() : was)),
    send('getRun', { id: 'run_ü' }),
  ],
  [
    NONE,
    'a percent sign in an id of a run stands for anything',
    (base) => ({
      findRun: (c) =>
        c.id.endsWith('%')
          ? c.principal.workspace.runs.find(({ id }) => id.startsWith(c.id.slice(0, -1)))
          : base.findRun(c),
    }),
    async (d) => {
      await d.trigger()
      return d.send('getRun', { id: 'run_%' })
    },
  ],
  [
    BAD,
    'a body that is not JSON is an internal error',
    failing(400)((was, c) =>
      c.operation === 'triggerRun' && !isJson(new TextDecoder().decode(c.body)) ? internal() : was,
    ),
    wrong('order=42'),
  ],
  [
    'The keys and values of inputs are strings.',
    'a list is taken for inputs',
    instead(
      'wrongBody',
      (c) => /"inputs":\s*\[/.test(new TextDecoder().decode(c.body)),
      () => () => undefined,
    ),
    wrong('{"inputs":["42"]}'),
  ],
  [
    'The keys and values of inputs are strings.',
    'numbers are taken for inputs',
    instead(
      'wrongBody',
      (c) => /"inputs":\s*\{[^}]*:\s*-?\d/.test(new TextDecoder().decode(c.body)),
      () => () => undefined,
    ),
    wrong('{"inputs":{"order":42}}'),
  ],
  [
    TRANSIENT,
    'an emoji in an input is always an internal error',
    crashes((_name, value) => /[^\0-\uffff]/u.test(value)),
    wrong('{"inputs":{"order":"🧾"}}'),
  ],
  [
    TRANSIENT,
    'a run that has failed is always an internal error',
    (base) => ({
      finish: (c, was) => ((was.body as Json | undefined)?.status === 'failed' ? internal() : base.finish(c, was)),
    }),
    poll(4000, 'fails'),
  ],
  [
    'A client may pin to a specific release by sending the request header `Service-Version: <release_date>`',
    'a pin to any release until now is refused',
    (base) => ({
      wrongParameter: (c) =>
        (c.request.headers.get('service-version') ?? '9') < '2026-12'
          ? 'This release has ended.'
          : base.wrongParameter(c),
    }),
    send('getCurrentWorkspace', pin),
  ],
  [
    'A pinned client is spared breaking changes of later releases.',
    'one of four replicas shows pinned clients the fields of the next release',
    body(
      (c) => pinned(c) && c.operation === 'getRun' && c.count % 4 === 0,
      ({ status, ...was }) => ({ ...was, state: status }),
    ),
    async (d) => {
      const id = await d.trigger()
      const all: unknown[] = []
      for (let sent = 0; sent < 4; sent++) all.push(await d.send('getRun', { id, ...pin(d) }))
      return all
    },
    THOROUGH,
  ],
]
