import { instead } from '../changes.js'
import type { Run } from '../types.js'
import {
  ALL,
  byOther,
  byReader,
  CRITICAL,
  cachedLists,
  INVALID,
  LACKS,
  lets,
  noKey,
  on,
  PLAYBOOKS,
  pin,
  pinned,
  type Row,
  send,
  twice,
  WORKSPACE,
} from './frame.js'

export const KEYS_AND_WORKSPACES: Row[] = [
  [
    WORKSPACE,
    'a run that its owner has polled is shown to any workspace',
    (base) => {
      const kept = new Map<string, Run>()
      return {
        findRun(c) {
          const own = base.findRun(c)
          if (own) kept.set(c.id, own)
          return own ?? kept.get(c.id)
        },
      }
    },
    async (d) => {
      const id = await d.trigger()
      await d.send('getRun', { id })
      return (await d.send('getRun', { id, ...byOther(d) })).status
    },
    CRITICAL,
  ],
  [
    PLAYBOOKS,
    'the list of playbooks is cached across workspaces',
    cachedLists(on('listPlaybooks')),
    twice('listPlaybooks'),
    CRITICAL,
  ],
  [
    WORKSPACE,
    'the list of providers is cached across workspaces',
    cachedLists(on('listProviders')),
    twice('listProviders'),
    CRITICAL,
  ],
  [
    ALL,
    'the providers of the first workspace are listed without a key',
    (base) => ({
      credentials: (c) =>
        base.credentials(c) ?? (c.operation === 'listProviders' ? c.world.principals[0]!.key : undefined),
    }),
    send('listProviders', noKey),
    CRITICAL,
  ],
  [
    INVALID,
    'keys are found by their first twelve characters',
    lets((c, key) => c.world.principals.find((one) => one.key.slice(0, 12) === key.slice(0, 12))),
    send('getCurrentWorkspace', ({ service }) => ({ key: service.keys.valid.slice(0, 12) })),
    CRITICAL,
  ],
  [
    INVALID,
    'keys are compared without regard to case',
    lets((c, key) => c.world.principals.find((one) => one.key.toLowerCase() === key.toLowerCase())),
    send('getCurrentWorkspace', ({ service }) => ({ key: service.keys.valid.toUpperCase() })),
    CRITICAL,
  ],
  [
    INVALID,
    'a trigger with an unknown key starts the run',
    lets((c) =>
      c.operation === 'triggerRun'
        ? c.world.principals.find(({ workspace }) => workspace.playbooks.some(({ id }) => id === c.id))
        : undefined,
    ),
    send('triggerRun', { key: 'wfk_0000000000000000' }),
    CRITICAL,
  ],
  [
    WORKSPACE,
    'a playbook of another workspace can be triggered',
    () => ({
      findPlaybook: (c) =>
        c.world.principals.flatMap(({ workspace }) => workspace.playbooks).find(({ id }) => id === c.id),
    }),
    send('triggerRun', byOther),
    CRITICAL,
  ],
  [
    LACKS,
    'a read-only key triggers runs when it pins a release',
    instead('permitted', pinned, () => (c) => !c.principal.hobby),
    send('triggerRun', (d) => ({ ...byReader(d), ...pin(d) })),
    CRITICAL,
  ],
  [
    INVALID,
    'an empty bearer token is taken for an internal caller',
    (base) => ({
      credentials: (c) =>
        c.request.headers.get('authorization')?.trim() === 'Bearer' ? c.world.principals[0]!.key : base.credentials(c),
    }),
    send('getCurrentWorkspace', { key: undefined, headers: { authorization: 'Bearer ' } }),
    CRITICAL,
  ],
  [
    INVALID,
    'an address with a slash at its end needs no key',
    () => ({
      arrive: (c) => {
        if (!/\/(providers|playbooks)\/$/.test(c.url.pathname) || c.request.headers.has('authorization'))
          return undefined
        return { status: 200, body: c.principal.workspace.providers }
      },
    }),
    async (d) => (await d.service.fetch(`${d.service.baseUrl}/providers/`)).status,
    CRITICAL,
  ],
  [
    'The current workspace is that of the key.',
    'a read-only key is shown another workspace',
    instead(
      'workspace',
      (c) => c.principal.readOnly,
      (base) => (c) => base.workspace({ ...c, principal: c.world.principals[2]! }),
    ),
    send('getCurrentWorkspace', byReader),
    CRITICAL,
  ],
]
