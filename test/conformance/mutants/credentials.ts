import { ignoringProperties } from '../honest-services.js'
import { accept, acceptTrigger, isReal, isTrigger, type Mutant, refuse, when } from './mutant.js'

const authorization = (pattern: RegExp) => (it: { request: Request }) =>
  pattern.test(it.request.headers.get('authorization') ?? 'none')

const WITHOUT = authorization(/^none$/)
const MALFORMED = authorization(/^Bearer$/)
const WRONG = authorization(/wrong/)
const APPENDED = authorization(/^Bearer key_valid0$/)
const SHORTENED = authorization(/^Bearer key_vali$/)
const OTHER_CASE = authorization(/^Bearer KEY_VALID$/)
const NO_SCHEME = authorization(/^key_valid$/)
const OTHER_SCHEME = authorization(/^Token /)

const followed = { trigger: 'succeeds' } as const

/** Keys that are accepted or refused wrongly, and wrong bodies. */
export const credentialMutants: Mutant[] = [
  { name: 'a missing key gets 403', fails: ['S24'], change: when(WITHOUT, (it) => refuse(it, 403)) },
  { name: 'a missing key gets 400', fails: ['S24'], change: when(WITHOUT, (it) => refuse(it, 400)) },
  {
    name: 'a missing key is a redirect to a login page',
    fails: ['S24'],
    change: when(WITHOUT, (it) => Object.assign(it, { status: 302, text: '' })),
  },
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
    name: 'the workspace needs no key',
    fails: ['S24'],
    change: when((it) => WITHOUT(it) && it.path === '/workspaces/me', accept()),
  },
  {
    name: 'only the beginning of a key is compared',
    fails: ['S24'],
    change: when((it) => APPENDED(it) && it.path === '/workspaces/me', accept()),
  },
  {
    name: 'only as much of a key is compared as is sent',
    fails: ['S24'],
    change: when((it) => SHORTENED(it) && it.path === '/workspaces/me', accept()),
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
    name: 'keys are compared without regard to case',
    fails: ['S24'],
    change: when((it) => OTHER_CASE(it) && it.path === '/playbooks', accept()),
  },
  {
    name: 'a key is accepted in any scheme',
    fails: ['S23'],
    change: when((it) => OTHER_SCHEME(it) && it.path === '/workspaces/me', accept()),
  },
  {
    name: 'the playbooks accept any scheme',
    fails: ['S23'],
    change: when((it) => OTHER_SCHEME(it) && it.path === '/playbooks', accept()),
  },
  {
    name: 'a key is accepted without a scheme',
    fails: ['S23'],
    change: when((it) => NO_SCHEME(it) && it.path === '/workspaces/me', accept()),
  },
  {
    name: 'the providers accept a key without a scheme',
    fails: ['S23'],
    change: when((it) => NO_SCHEME(it) && it.path === '/providers', accept()),
  },
  {
    name: 'a run that exists is read with a key without a scheme',
    fails: ['S23'],
    change: when((it) => NO_SCHEME(it) && isReal(it) && !isTrigger(it), accept('/runs/run_8Zt4Lm2c')),
    trial: followed,
  },
  {
    name: 'a run that exists needs no key',
    fails: ['S24'],
    change: when((it) => WITHOUT(it) && isReal(it) && !isTrigger(it), accept('/runs/run_8Zt4Lm2c')),
    trial: followed,
  },
  {
    name: 'a run that exists is read with a wrong key',
    fails: ['S24'],
    change: when((it) => WRONG(it) && isReal(it) && !isTrigger(it), accept('/runs/run_8Zt4Lm2c')),
    trial: followed,
  },
  {
    name: 'a run that is named needs no key',
    fails: ['S24'],
    change: when((it) => WITHOUT(it) && isReal(it), accept('/runs/run_8Zt4Lm2c')),
    trial: { options: { run: 'run_8Zt4Lm2c' } },
  },
  {
    name: 'a run that exists is read in any scheme',
    fails: ['S23'],
    change: when((it) => OTHER_SCHEME(it) && isReal(it) && !isTrigger(it), accept('/runs/run_8Zt4Lm2c')),
    trial: followed,
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
    name: 'a playbook that exists is triggered with a wrong key',
    fails: ['S24'],
    change: when((it) => WRONG(it) && isReal(it) && isTrigger(it), acceptTrigger),
    trial: followed,
  },
  {
    name: 'a playbook that exists is triggered with more behind the key',
    fails: ['S24'],
    change: when((it) => APPENDED(it) && isReal(it) && isTrigger(it), acceptTrigger),
    trial: followed,
  },
  {
    name: 'a playbook that exists is triggered with a shortened key',
    fails: ['S24'],
    change: when((it) => SHORTENED(it) && isReal(it) && isTrigger(it), acceptTrigger),
    trial: followed,
  },
  {
    name: 'a playbook that exists is triggered with a key in another case',
    fails: ['S24'],
    change: when((it) => OTHER_CASE(it) && isReal(it) && isTrigger(it), acceptTrigger),
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
    name: 'a key without the permission triggers a playbook, and a body may have properties that are not known',
    fails: ['S25', 'S26'],
    change: when((it) => it.key === 'key_read_only' && isTrigger(it) && isReal(it), acceptTrigger),
    trial: { ...followed, before: ignoringProperties },
  },
  {
    name: 'a key without the permission finds no playbook',
    fails: ['S25'],
    change: when(
      (it) => it.key === 'key_read_only' && isTrigger(it),
      (it) => refuse(it, 404),
    ),
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
    name: 'a key reads another workspace every second time',
    fails: ['S03'],
    change: when(
      (it) => it.number % 2 === 1 && it.status === 200 && it.key === 'key_valid' && it.path === '/workspaces/me',
      (it) => (it.body = { id: 'ws_other', name: 'Other Operations' }),
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
    name: 'a named run of another workspace is visible',
    fails: ['D05'],
    change: when((it) => it.key === 'key_other_workspace' && it.path.startsWith('/runs'), accept()),
    trial: { options: { run: 'run_8Zt4Lm2c' } },
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
    name: 'a body without inputs is accepted',
    fails: ['S26'],
    change: when(({ status, sent }) => status === 400 && sent === '{}', acceptTrigger),
  },
  {
    name: 'a body that is a string is accepted',
    fails: ['S26'],
    change: when(({ status, sent }) => status === 400 && sent.startsWith('"'), acceptTrigger),
  },
  ...(
    [
      ['a body that is a list', '[{"inputs":{}}]'],
      ['a body that is null', 'null'],
      ['inputs that are a list', '{"inputs":[]}'],
      ['inputs that are null', '{"inputs":null}'],
    ] as const
  ).flatMap(([what, wrong]): Mutant[] => [
    {
      name: `${what} is accepted`,
      fails: ['S26'],
      change: when(({ status, sent }) => status === 400 && sent === wrong, acceptTrigger),
    },
    {
      name: `${what} is a fault of the service`,
      fails: ['S26', 'S28'],
      change: when(
        ({ status, sent }) => status === 400 && sent === wrong,
        (it) => refuse(it, 500),
      ),
    },
    {
      name: `${what} is accepted for a playbook that exists`,
      fails: ['S26'],
      change: (it) => {
        if (it.status !== 400 || !isTrigger(it) || it.sent !== wrong) return
        if (isReal(it)) Object.assign(it, { status: 201, body: { id: `run_${it.number}` } })
        else refuse(it, 404)
      },
      trial: followed,
    },
  ]),
  {
    name: 'inputs that are a string are accepted',
    fails: ['S26'],
    change: when(({ status, sent }) => status === 400 && sent === '{"inputs":"conformance check"}', acceptTrigger),
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
    name: 'a body that is not JSON gets 415',
    fails: ['S26'],
    change: when(
      (it) => it.status === 400 && it.sent === '{"inputs":{}',
      (it) => refuse(it, 415),
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
