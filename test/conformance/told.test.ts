import { expect, it } from 'vitest'
import { caller } from '../sandbox/calls.js'
import { type Change, ids, isTrigger, refuse, type Served, type Service, tryService } from './service.js'

const isRefused = ({ status, path, key }: Served, { keys }: Service): boolean =>
  status === 404 && key === keys.otherWorkspace && /^\/(runs|playbooks)\/[^/]+/.test(path)

/** What another workspace's key gets for a run or a playbook of this one. */
const toOthers =
  (words: (service: Service) => string | Promise<string>): Change =>
  async (it, service) => {
    if (isRefused(it, service)) refuse(it, 404).body.message = await words(service)
  }

const TRIAL = { trigger: 'succeeds', options: { inputs: { ticket: 'OPS-1234' }, depth: 'quick' } } as const

it.each([
  ['the workspace', (service: Service) => `It belongs to ${service.state.workspaces[0]?.workspace.name}.`],
  [
    'a playbook',
    async (service: Service) => `This is a run of ${(await caller(service)('/playbooks')).body.data[0].name}.`,
  ],
  ['its inputs', () => 'The run with the ticket OPS-1234 is not yours.'],
])('a refusal to another workspace whose words tell %s fails', async (_, words) => {
  expect(ids(await tryService(toOthers(words), TRIAL), 'fail')).toEqual(['D05'])
})

it.each<[string, Change]>([
  ['names nothing', toOthers(() => 'There is no such thing in Your Workspace 7.')],
  [
    'is that of a gateway, for a trigger',
    (it, service) => {
      if (isTrigger(it) && isRefused(it, service))
        Object.assign(it, { status: 503, text: '<html>503 Unavailable</html>' })
    },
  ],
])('a refusal to another workspace that %s contradicts nothing', async (_, change) => {
  const report = await tryService(change, TRIAL)
  expect([...ids(report, 'fail'), ...ids(report, 'contradicted')]).toEqual([])
})
