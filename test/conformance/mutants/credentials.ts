import { accept, acceptTrigger, isReal, isTrigger, type Mutant, refuse, refusing, violating, when } from './mutant.js'

const authorization = (pattern: RegExp) => (it: { request: Request }) =>
  pattern.test(it.request.headers.get('authorization') ?? 'none')

const WITHOUT = authorization(/^none$/)
const MALFORMED = authorization(/^Bearer$/)
const WRONG = authorization(/wrong/)
const OTHER_SCHEME = authorization(/^Token /)

const followed = { trigger: 'succeeds' } as const

/** Keys that are accepted or refused wrongly, and wrong bodies. */
export const credentialMutants: Mutant[] = [
  ...violating({
    S24: {
      'a missing key gets 403': when(WITHOUT, refusing(403)),
      'a wrong key gets 404': when(WRONG, refusing(404)),
      'a wrong key gets an empty workspace': when(
        (it) => WRONG(it) && it.path === '/workspaces/me',
        (it) => Object.assign(it, { status: 200, body: {} }),
      ),
      'the playbooks are down for a wrong key only': when((it) => WRONG(it) && it.path === '/playbooks', refusing(503)),
      'a run is looked up before the key': when(
        (it) => it.status === 401 && WITHOUT(it) && it.path.startsWith('/runs/run_0'),
        refusing(404),
      ),
      'a key that may read is invalid': when(
        (it) => it.key === 'key_read_only' && it.path === '/providers',
        refusing(401),
      ),
    },
    S23: {
      'a key is accepted in any scheme': when((it) => OTHER_SCHEME(it) && it.path === '/workspaces/me', accept()),
    },
    S22: {
      'a playbook that does not exist is triggered': when((it) => it.status === 404 && isTrigger(it), acceptTrigger),
    },
    S25: {
      'a key without the permission gets 401': when(
        ({ status, key }) => status === 403 && key === 'key_read_only',
        refusing(401),
      ),
      'a key without the permission triggers what does not exist': when(
        ({ status, key }) => status === 403 && key === 'key_read_only',
        acceptTrigger,
      ),
    },
    S03: {
      'a second key reads another workspace': when(
        (it) => it.key === 'key_read_only' && it.path === '/workspaces/me',
        (it) => (it.body = { id: 'ws_other', name: 'Other Operations' }),
      ),
      'a second key has other playbooks': when(
        (it) => it.key === 'key_read_only' && it.path === '/playbooks',
        ({ body }) => {
          for (const each of body.data) each.id += '_other'
        },
      ),
      'a key of another workspace reads this one': when(
        (it) => it.key === 'key_other_workspace' && it.path === '/workspaces/me',
        accept(),
      ),
    },
    A01: {
      'a second key reads a workspace with another id only': when(
        (it) => it.key === 'key_read_only' && it.path === '/workspaces/me',
        (it) => (it.body.id = 'ws_other'),
      ),
    },
    S26: {
      'a body without inputs gets 422': when(({ status, sent }) => status === 400 && sent === '{}', refusing(422)),
      'a body without inputs breaks the connection': when(
        ({ status, sent }) => status === 400 && sent === '{}',
        () => {
          throw new TypeError('fetch failed')
        },
      ),
    },
  }),
  ...violating(
    {
      S24: {
        'triggers of a playbook that exists are down for a wrong key only': when(
          (it) => WRONG(it) && isTrigger(it) && isReal(it),
          refusing(503),
        ),
        'a run that exists needs no key': when(
          (it) => WITHOUT(it) && isReal(it) && !isTrigger(it),
          accept('/runs/run_8Zt4Lm2c'),
        ),
        'a playbook that exists is triggered without a key': when(
          (it) => WITHOUT(it) && isReal(it) && isTrigger(it),
          acceptTrigger,
        ),
      },
      S22: {
        'triggers are down for an id that does not exist only': when(
          (it) => isTrigger(it) && it.status === 404,
          refusing(503),
        ),
      },
      S25: {
        'a key without the permission triggers a playbook': when(
          (it) => it.key === 'key_read_only' && isTrigger(it) && isReal(it),
          acceptTrigger,
        ),
      },
      D05: {
        'a run of another workspace is visible': when(
          (it) => it.key === 'key_other_workspace' && it.path.startsWith('/runs'),
          accept(),
        ),
        'a playbook of another workspace is triggered': when(
          (it) => it.key === 'key_other_workspace' && isTrigger(it),
          acceptTrigger,
        ),
      },
      S26: {
        'the body is checked after the id, and then not at all': (it) => {
          if (it.status !== 400 || !isTrigger(it) || it.request.headers.get('service-version') === 'malformed') return
          if (isReal(it)) Object.assign(it, { status: 201, body: { id: `run_${it.number}` } })
          else refuse(it, 404)
        },
      },
    },
    followed,
  ),
  {
    name: 'a run that is named needs no key',
    violates: ['S24'],
    change: when((it) => WITHOUT(it) && isReal(it), accept('/runs/run_8Zt4Lm2c')),
    trial: { options: { run: 'run_8Zt4Lm2c' } },
  },
  {
    name: 'a malformed key is a fault of the service',
    violates: ['S24', 'S28'],
    change: when(MALFORMED, refusing(500)),
  },
  {
    name: 'the providers need no key',
    violates: ['S23', 'S24'],
    change: when(({ status, path }) => status === 401 && path === '/providers', accept()),
  },
  {
    name: 'each trigger is a fault of the service',
    violates: ['S18', 'S28'],
    change: when(isTrigger, refusing(500)),
    trial: { ...followed, rateLimit: true },
  },
  {
    name: 'each trigger of a playbook that exists is a fault of the service',
    violates: ['S18', 'S28'],
    change: when((it) => isTrigger(it) && isReal(it), refusing(500)),
    trial: { ...followed, rateLimit: true },
  },
  {
    name: 'each run is a fault of the service',
    violates: ['S19', 'S22', 'S28'],
    change: when(({ path }) => path.startsWith('/runs'), refusing(500)),
    trial: followed,
  },
  {
    name: 'a body that is not JSON is a fault of the service',
    violates: ['S26', 'S28'],
    change: when((it) => it.status === 400 && it.sent.endsWith('{}'), refusing(500)),
  },
]
