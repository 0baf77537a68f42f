import { accept, acceptTrigger, isReal, isTrigger, type Mutant, refuse, when } from './mutant.js'

const authorization = (pattern: RegExp) => (it: { request: Request }) =>
  pattern.test(it.request.headers.get('authorization') ?? 'none')

const WITHOUT = authorization(/^none$/)
const MALFORMED = authorization(/^Bearer$/)
const WRONG = authorization(/wrong/)
const OTHER_SCHEME = authorization(/^Token /)

const followed = { trigger: 'succeeds' } as const

/** Keys that are accepted or refused wrongly, and wrong bodies. */
export const credentialMutants: Mutant[] = [
  { name: 'a missing key gets 403', fails: ['S24'], change: when(WITHOUT, (it) => refuse(it, 403)) },
  { name: 'a wrong key gets 404', fails: ['S24'], change: when(WRONG, (it) => refuse(it, 404)) },
  {
    name: 'a wrong key gets an empty workspace',
    fails: ['S24'],
    change: when(
      (it) => WRONG(it) && it.path === '/workspaces/me',
      (it) => Object.assign(it, { status: 200, body: {} }),
    ),
  },
  {
    name: 'a malformed key is a fault of the service',
    fails: ['S24', 'S28'],
    change: when(MALFORMED, (it) => refuse(it, 500)),
  },
  {
    name: 'the providers need no key',
    fails: ['S23', 'S24'],
    change: when(({ status, path }) => status === 401 && path === '/providers', accept()),
  },
  {
    name: 'the playbooks are down for a wrong key only',
    fails: ['S24'],
    change: when(
      (it) => WRONG(it) && it.path === '/playbooks',
      (it) => refuse(it, 503),
    ),
  },
  {
    name: 'triggers of a playbook that exists are down for a wrong key only',
    fails: ['S24'],
    change: when(
      (it) => WRONG(it) && isTrigger(it) && isReal(it),
      (it) => refuse(it, 503),
    ),
    trial: followed,
  },
  {
    name: 'triggers are down for an id that does not exist only',
    fails: ['S22'],
    change: when(
      (it) => isTrigger(it) && it.status === 404,
      (it) => refuse(it, 503),
    ),
    trial: followed,
  },
  {
    name: 'each trigger is a fault of the service',
    fails: ['S18', 'S28'],
    change: when(isTrigger, (it) => refuse(it, 500)),
    trial: { ...followed, rateLimit: true },
  },
  {
    name: 'each trigger of a playbook that exists is a fault of the service',
    fails: ['S18', 'S28'],
    change: when(
      (it) => isTrigger(it) && isReal(it),
      (it) => refuse(it, 500),
    ),
    trial: { ...followed, rateLimit: true },
  },
  {
    name: 'each run is a fault of the service',
    fails: ['S19', 'S22', 'S28'],
    change: when(
      ({ path }) => path.startsWith('/runs'),
      (it) => refuse(it, 500),
    ),
    trial: followed,
  },
  {
    name: 'a key is accepted in any scheme',
    fails: ['S23'],
    change: when((it) => OTHER_SCHEME(it) && it.path === '/workspaces/me', accept()),
  },
  {
    name: 'a run that exists needs no key',
    fails: ['S24'],
    change: when((it) => WITHOUT(it) && isReal(it) && !isTrigger(it), accept('/runs/run_8Zt4Lm2c')),
    trial: followed,
  },
  {
    name: 'a run that is named needs no key',
    fails: ['S24'],
    change: when((it) => WITHOUT(it) && isReal(it), accept('/runs/run_8Zt4Lm2c')),
    trial: { options: { run: 'run_8Zt4Lm2c' } },
  },
  {
    name: 'a run is looked up before the key',
    fails: ['S24'],
    change: when(
      (it) => it.status === 401 && WITHOUT(it) && it.path.startsWith('/runs/run_0'),
      (it) => refuse(it, 404),
    ),
  },
  {
    name: 'a playbook that exists is triggered without a key',
    fails: ['S24'],
    change: when((it) => WITHOUT(it) && isReal(it) && isTrigger(it), acceptTrigger),
    trial: followed,
  },
  {
    name: 'a playbook that does not exist is triggered',
    fails: ['S22'],
    change: when((it) => it.status === 404 && isTrigger(it), acceptTrigger),
  },
  {
    name: 'a key without the permission gets 401',
    fails: ['S25'],
    change: when(
      ({ status, key }) => status === 403 && key === 'key_read_only',
      (it) => refuse(it, 401),
    ),
  },
  {
    name: 'a key without the permission triggers what does not exist',
    fails: ['S25'],
    change: when(({ status, key }) => status === 403 && key === 'key_read_only', acceptTrigger),
  },
  {
    name: 'a key without the permission triggers a playbook',
    fails: ['S25'],
    change: when((it) => it.key === 'key_read_only' && isTrigger(it) && isReal(it), acceptTrigger),
    trial: followed,
  },
  {
    name: 'a key that may read is invalid',
    fails: ['S24'],
    change: when(
      (it) => it.key === 'key_read_only' && it.path === '/providers',
      (it) => refuse(it, 401),
    ),
  },
  {
    name: 'a second key reads another workspace',
    fails: ['S03'],
    change: when(
      (it) => it.key === 'key_read_only' && it.path === '/workspaces/me',
      (it) => (it.body = { id: 'ws_other', name: 'Other Operations' }),
    ),
  },
  {
    name: 'a second key has other playbooks',
    fails: ['S03'],
    change: when(
      (it) => it.key === 'key_read_only' && it.path === '/playbooks',
      ({ body }) => {
        for (const each of body.data) each.id += '_other'
      },
    ),
  },
  {
    name: 'a second key reads a workspace with another id only',
    contradicts: ['A01'],
    change: when(
      (it) => it.key === 'key_read_only' && it.path === '/workspaces/me',
      (it) => (it.body.id = 'ws_other'),
    ),
  },
  {
    name: 'a key of another workspace reads this one',
    fails: ['S03'],
    change: when((it) => it.key === 'key_other_workspace' && it.path === '/workspaces/me', accept()),
  },
  {
    name: 'a run of another workspace is visible',
    fails: ['D05'],
    change: when((it) => it.key === 'key_other_workspace' && it.path.startsWith('/runs'), accept()),
    trial: followed,
  },
  {
    name: 'a playbook of another workspace is triggered',
    fails: ['D05'],
    change: when((it) => it.key === 'key_other_workspace' && isTrigger(it), acceptTrigger),
    trial: followed,
  },
  {
    name: 'a body that is not JSON is a fault of the service',
    fails: ['S26', 'S28'],
    change: when(
      (it) => it.status === 400 && it.sent.endsWith('{}'),
      (it) => refuse(it, 500),
    ),
  },
  {
    name: 'a body without inputs gets 422',
    fails: ['S26'],
    change: when(
      ({ status, sent }) => status === 400 && sent === '{}',
      (it) => refuse(it, 422),
    ),
  },
  {
    name: 'a body without inputs breaks the connection',
    fails: ['S26'],
    change: when(
      ({ status, sent }) => status === 400 && sent === '{}',
      () => {
        throw new TypeError('fetch failed')
      },
    ),
  },
  {
    name: 'the body is checked after the id, and then not at all',
    fails: ['S26'],
    change: (it) => {
      if (it.status !== 400 || !isTrigger(it) || it.request.headers.get('service-version') === 'malformed') return
      if (isReal(it)) Object.assign(it, { status: 201, body: { id: `run_${it.number}` } })
      else refuse(it, 404)
    },
    trial: followed,
  },
]
