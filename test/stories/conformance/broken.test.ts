import { describe, expect, it } from 'vitest'
import { type BasisId, basis, rules } from '../../../generated/contract.js'
import { isBinding } from '../../../src/tools/conformance/judge/contract.js'
import { detect, entriesOf } from '../../conformance/detection.js'
import {
  type Change,
  ids,
  limit,
  limited,
  refuse,
  success,
  type Trial,
  tryService,
  when,
} from '../../conformance/service.js'
import { brokenServices, services } from '../../conformance/services/index.js'

/** Services, and the entries of the register that they violate: those that bind fail, and the others are contradicted. */
const VIOLATED: Record<string, string[]> = {
  'responses: me: the workspace is a list': ['S16'],
  'responses: trigger: a trigger gets 405': ['S18'],
  'responses: a run that was triggered can never be read': ['A43', 'S19'],
  'workspaces apart: me other: the workspace is that of another key': ['S03'],
  'workspaces apart: run other: another key reads a run': ['D05'],
  'workspaces apart: X-Tenant-Id chooses another workspace': ['S03'],
  'workspaces apart: account in the query chooses another workspace': ['S03', 'S17', 'S20'],
  'started_at: it is written in the language of the client': ['S08'],
  'runs: run ended: id is left out': ['S05'],
  'runs: run ended: status is left out': ['S06'],
  'runs: run ended: status is empty': ['A05', 'A07', 'A09', 'A35'],
  'runs: run ended: playbook_id is left out': ['S07'],
  'started_at: run ended: it has no zone': ['A51', 'S08'],
  'steps: there are no steps at the end': ['A59'],
  'steps: steps are reversed at the end': ['S09'],
  'steps: ids of steps are numbers': ['A14', 'S10'],
  'steps: the status of steps is a number': ['A14', 'S11'],
  'steps: a capability has no dot': ['A04', 'A14', 'S12'],
  'steps: a step that waits has a capability': ['A53'],
  'lists: playbooks: there is no such list': ['S01', 'S17'],
  'lists: providers: there is no such list': ['S01', 'S20'],
  'lists: playbooks: an item is there twice': ['A15', 'A30', 'A32', 'A64', 'S17'],
  'lists: playbooks beyond: data is null where there are no items': ['S14'],
  'lists: playbooks page2: meta is null': ['S15'],
  'lists: playbooks beyond: total is -1': ['A32', 'A36'],
  'ids: getRun: an id unknown gets 400': ['A24', 'A25', 'S22'],
  'ids: getRun: an id with a space gets 500': ['A24', 'S28'],
  'credentials: providers: the key without a scheme is accepted': ['A61'],
  'credentials: me: the key is accepted in the query': ['A61'],
  'credentials: me: the case of a key is ignored': ['S24'],
  'runs named elsewhere: a run named in run_id has an id alone': ['A13', 'A14', 'A31', 'S06', 'S07', 'S08', 'S09'],
  'runs named elsewhere: a run named in the Location of a 303 has an id alone': ['A31', 'S06', 'S07', 'S08', 'S09'],
  'permissions: trigger reader: a missing permission gets 401': ['A17', 'A24', 'S25'],
  'bodies: trigger: an empty object gets 422': ['S26'],
  'pins: me pinned: a known release gets 404': ['S01', 'S16', 'S40'],
  'limits: the limit is reported with 503': ['S27'],
  'limits: a 429 has another error': ['S29'],
  'limits: a 429 has no message': ['S30'],
  'limits: retry_after is left out': ['S31'],
  'limits: a 429 has no Retry-After': ['S32'],
  'limits: a wait of 0 seconds is too short': ['S33'],
  'limits: 119 requests a minute pass': ['S34'],
  'limits: each key has a limit': ['S35'],
  'limits: triggers are refused at the limit': ['S36'],
  'limits: listProviders is not limited': ['D04'],
  'fields not shown: a workspace inside data': ['A01'],
  'fields not shown: playbooks whose id is in metadata': ['A02', 'A30'],
  'fields not shown: providers with a numeric id': ['A03', 'A04'],
  'status of a run: in_progress and completed': ['A05', 'A07', 'A09', 'A60'],
  'consistency in the end: runs are kept for three seconds after their end, and get 410 then': ['A48'],
  'consistency in the end: runs can be read after 25000 ms': ['A43'],
  'status of a step: in_progress and done': ['A06', 'A08'],
  'steps that have not started: listed as pending': ['A06', 'A08', 'A11'],
  'gateways: 203 for lists': ['A12'],
  'response to a trigger: 202 without a body': ['A13', 'A14', 'A31'],
  'response to a trigger: the run beside its playbook': ['A14', 'A31'],
  'response to a trigger: the id of a job, and that of the run beside it': ['A05', 'A13', 'A14', 'A31'],
  'response to a trigger: the first run with the same inputs': ['A34'],
  'selection of pages: pages from 0': ['A15', 'A16', 'A32'],
  'bodies of errors: codes in capital letters': ['A24'],
  'bodies of errors: HTML': ['A17'],
  'other wrong requests: the body before the key': ['A46'],
  'permissions: 402 without API access': ['A18'],
  'permissions: 403 for what another workspace has': ['A25'],
  'measure of the burst: a bucket filled every minute': ['A19'],
  'message of a 429: in words': ['A33'],
  'pins: malformed releases are ignored': ['A20'],
  'run that is not started: 422 to the inputs': ['A22'],
  'form of started_at: the basic format': ['A28'],
  'response to a trigger: the run under another media type': ['A29'],
}

/** Why no service can be seen not to keep to an entry. */
const CANNOT_FAIL: Partial<Record<BasisId, string>> = {
  S04: 'It is about the base URL that the user gives: the tests of the mock show it.',
  S13: 'How inputs are checked is not shown, so a refusal of strings and an acceptance of numbers may both be right.',
  S23: 'A service that refuses the key in this header refuses everything, which ends the check.',
  S37: 'It is about contracts between people.',
  S38: 'It is advice to clients.',
  D08: 'No response shows what a limited request has done.',
  D09: 'No response shows what a refused request has done.',
  D10: 'It binds clients.',
  O01: 'A service need not show the values that were observed.',
  O02: 'A service need not show the values that were observed.',
  A10: 'A client cannot reject an approval.',
  A57: 'What an exhausted run quota gets is not modelled.',
  A27: 'A service need not send more fields than the contract names.',
}

/** The ids of entries may change with the contract. */
const binds = (id: string): boolean => id in basis && isBinding(id as BasisId)

it.each(Object.entries(VIOLATED))(
  'verify reports of the service "%s" that it violates %j, and no other entry',
  async (name, violated) => {
    const service = services.find((each) => `${each.class}: ${each.name}` === name)!
    const report = await detect(service, 'normal')
    expect(entriesOf(report, 'fail')).toEqual(violated.filter(binds))
    expect(entriesOf(report, 'contradicted')).toEqual(violated.filter((id) => !binds(id)))
  },
)

let polls = 0
/** The same for a sandbox whose responses are changed, where none of the services shows it. */
const VIOLATED_BY_A_CHANGE: [violated: BasisId[], what: string, change: Change, trial?: Trial][] = [
  [['D03'], 'a list has the status of an error', success(/^\/playbooks$/, (it) => (it.status = 404))],
  [
    ['S19', 'S21', 'A43'],
    'the run is gone after its first poll',
    success(/^\/runs\//, (it) => it.body.id !== 'run_8Zt4Lm2c' && ++polls > 2 && refuse(it, 404)),
    { trigger: 'succeeds' },
  ],
  [
    ['A55'],
    'a date that is no release is refused',
    when(
      ({ status, number }) => status === 200 && number > 2 && number < 6,
      (it) => refuse(it, 400),
    ),
  ],
  [
    ['A37'],
    'a page has ten items',
    success(/^\/(playbooks|providers)$/, (it) => {
      if (!it.query.has('per_page')) it.body.meta.per_page = 10
    }),
  ],
  [
    ['A49'],
    'a list has another order each time',
    success(/^\/playbooks$/, (it) => {
      if (it.number % 2 === 0) it.body.data.reverse()
    }),
  ],
  [
    ['A50'],
    'the capability of a step changes',
    success(/^\/runs\//, (it) => {
      for (const step of it.body.steps) if (step.status === 'succeeded') step.capability &&= 'tickets.close'
    }),
    { trigger: 'succeeds' },
  ],
  [
    ['A52'],
    'a page that is no number is page 1',
    (it) => {
      const pages = [it.query.get('page') ?? '1', it.query.get('per_page') ?? '1']
      if (it.status !== 400 || pages.every((each) => /^\d+$/.test(each))) return
      it.status = 200
      it.body = { data: [], meta: { total: 0, page: 1, per_page: 20 } }
    },
  ],
]

it.each(VIOLATED_BY_A_CHANGE)('verify reports %j, and no other entry, where %s', async (violated, _, change, trial) => {
  const report = await tryService(change, trial)
  expect([...ids(report, 'fail'), ...ids(report, 'contradicted')]).toEqual(violated)
  expect(report.passed).toBe(!violated.some(binds))
})

it.each(Object.keys(basis) as BasisId[])('a service here violates %s, or the entry cannot be violated', (id) => {
  const violated = [...Object.values(VIOLATED).flat(), ...VIOLATED_BY_A_CHANGE.flatMap(([ids]) => ids)]
  const isRuled = Object.values<BasisId>(rules).includes(id)
  const reason = CANNOT_FAIL[id] ?? (isRuled ? undefined : basis[id].unobservable)
  expect(violated.includes(id) || reason !== undefined).toBe(true)
  expect(violated.includes(id) && CANNOT_FAIL[id]).toBeFalsy()
})

it('verify at the depth thorough fails a service that fails every seventh request only', async () => {
  const service = brokenServices.find(({ name }) => name === 'me seventh: there is no such resource')!
  expect(entriesOf(await detect(service, 'thorough'), 'fail')).not.toEqual([])
})

it('verify takes a fault after a 429 or a 500 for no success', async () => {
  const statuses = [429, 503, 503, 503, 500, 503, 503]
  const report = await tryService((it) => {
    const status = it.path === '/playbooks' && it.status === 200 ? statuses.shift() : undefined
    if (status === 429) limit(it)
    else if (status) refuse(it, status)
  })
  expect(ids(report, 'pass')).not.toContain('S28')
  expect(ids(report, 'pass')).not.toContain('S33')
})

describe('a rate that is measured', () => {
  const says60 = limited(({ body }) => Object.assign(body, { message: 'Over 60 requests per minute.' }))

  it.each([
    [20, undefined, 'not-exercised'],
    [6, 'pro', 'not-exercised'],
    [20, 'pro', 'fail'],
  ] as const)(
    'a rate of %i requests instead of 60, measured with the plan %s, is "%s"',
    async (rate, plan, outcome) => {
      const sandbox = { plan: { requestsPerMinute: rate, burst: 120 } }
      const { findings } = await tryService(says60, { rateLimit: true, sandbox, options: { plan } })
      expect(findings.find(({ basis }) => basis === 'S34')?.outcome).toBe(outcome)
    },
  )

  it('a rate of 200 requests instead of 60 is not as stated, and the report says how many were accepted', async () => {
    const sandbox = { plan: { requestsPerMinute: 200, burst: 120 } }
    const { findings } = await tryService(says60, { rateLimit: true, sandbox })
    const [found] = findings.filter(({ basis }) => basis === 'S34')
    expect(found?.outcome).toBe('not-exercised')
    expect(Number(/got (\d+); a window/.exec(found?.message ?? '')?.[1])).toBeGreaterThanOrEqual(120)
  })

  it.each([
    [60, 120],
    [300, 600],
  ])('a rate of %i requests is as stated', async (requestsPerMinute, burst) => {
    const report = await tryService(() => {}, { rateLimit: true, sandbox: { plan: { requestsPerMinute, burst } } })
    expect(ids(report, 'pass')).toContain('S34')
    expect(ids(report, 'confirmed')).toContain('A19')
  })
})
