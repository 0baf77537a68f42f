import { accept, type Mutant, refuse, success, when } from './mutant.js'

const WORKSPACE = /^\/workspaces/
const PLAYBOOKS = /^\/playbooks$/
const PROVIDERS = /^\/providers$/

const html = '<!doctype html><title>Welcome</title>'
const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (each) => each.charCodeAt(0))

/** Workspaces, playbooks and providers that are not what the contract says. */
export const responseMutants: Mutant[] = [
  { name: 'the workspace is a list', fails: ['S16'], change: success(WORKSPACE, (it) => (it.body = [it.body])) },
  {
    name: 'the workspace is a list with meta',
    fails: ['S16'],
    contradicts: [],
    change: success(WORKSPACE, (it) => (it.body = { data: [it.body], meta: { total: 1, page: 1, per_page: 20 } })),
  },
  { name: 'the workspace is empty', fails: ['S16'], change: success(WORKSPACE, (it) => (it.text = '')) },
  {
    name: 'the workspace is an HTML page',
    fails: ['S16'],
    contradicts: ['A29'],
    change: success(WORKSPACE, (it) => {
      it.text = html
      it.headers.set('content-type', 'text/html')
    }),
  },
  {
    name: 'the workspace is not UTF-8',
    fails: ['S16'],
    change: success(WORKSPACE, (it) => (it.text = bytes('{"id":"ws_\xe9","name":"x"}'))),
  },
  {
    name: 'the workspace begins with a byte order mark',
    fails: ['S16'],
    change: success(WORKSPACE, (it) => (it.text = `\ufeff${JSON.stringify(it.body)}`)),
  },
  {
    name: 'the workspace names a property twice',
    fails: ['S16'],
    change: success(WORKSPACE, (it) => (it.text = '{"id":"ws_1","id":"ws_2","name":"Acme"}')),
  },
  {
    name: 'the workspace of a key changes',
    fails: ['S03'],
    change: success(WORKSPACE, (it) => (it.body = { id: `ws_${it.number}`, name: `Workspace ${it.number}` })),
  },
  {
    name: 'the workspace is not found',
    fails: ['S01', 'S16'],
    change: when(
      ({ path, status }) => WORKSPACE.test(path) && status === 200,
      (it) => refuse(it, 404, 'not_found'),
    ),
  },
  {
    name: 'the workspace is a redirect',
    fails: ['S16'],
    change: success(WORKSPACE, (it) => {
      Object.assign(it, { status: 301, text: '' })
      it.headers.set('location', '/v2/workspaces/me')
    }),
  },
  {
    name: 'the playbooks are a bare list',
    fails: ['S17'],
    change: success(PLAYBOOKS, (it) => (it.body = it.body.data)),
  },
  { name: 'the list has no data', fails: ['S14'], change: success(PLAYBOOKS, ({ body }) => delete body.data) },
  { name: 'the list has no meta', fails: ['S15'], change: success(PLAYBOOKS, ({ body }) => delete body.meta) },
  { name: 'meta has no per_page', fails: ['S15'], change: success(PROVIDERS, ({ body }) => delete body.meta.per_page) },
  {
    name: 'meta.total is a fraction',
    fails: ['S15'],
    change: success(PROVIDERS, ({ body }) => (body.meta.total = 2.5)),
  },
  { name: 'meta.total is negative', fails: ['D07'], change: success(PLAYBOOKS, ({ body }) => (body.meta.total = -1)) },
  {
    name: 'meta.total is less than the page has',
    fails: ['S17'],
    change: success(PLAYBOOKS, ({ body, query }) => Object.assign(body.meta, query.size === 0 && { total: 0 })),
  },
  {
    name: 'a page has more items than per_page',
    contradicts: ['A16', 'A32'],
    change: success(PLAYBOOKS, ({ body, query }) => Object.assign(body.meta, query.size === 0 && { per_page: 0 })),
  },
  {
    name: 'meta.total is different each time',
    contradicts: ['A32'],
    change: success(PLAYBOOKS, ({ body, number }) => (body.meta.total += number)),
  },
  {
    name: 'the list is empty and has a total',
    contradicts: ['A32'],
    change: success(PROVIDERS, ({ body, query }) => Object.assign(body, query.size === 0 && { data: [] })),
  },
  {
    name: 'no playbook has an id',
    fails: ['D01'],
    change: success(PLAYBOOKS, ({ body }) => {
      body.data = body.data.map(() => ({ name: 'Refund' }))
    }),
  },
  {
    name: 'the id of a playbook is an object',
    fails: ['D01'],
    change: success(PLAYBOOKS, ({ body }) => Object.assign(body.data[0] ?? {}, { id: {} })),
  },
  {
    name: 'playbooks are given by name',
    fails: ['S17'],
    change: success(PLAYBOOKS, ({ body }) => {
      body.data = body.data.map(({ name }: { name: string }) => name)
    }),
  },
  {
    name: 'a playbook has an empty id',
    fails: ['D06'],
    change: success(PLAYBOOKS, ({ body }) => Object.assign(body.data[0] ?? {}, { id: '' })),
  },
  {
    name: 'two playbooks have one id',
    fails: ['D01'],
    change: success(PLAYBOOKS, ({ body }) => Object.assign(body.data[1] ?? {}, { id: body.data[0]?.id })),
  },
  { name: 'the providers are empty', fails: ['S20'], change: success(PROVIDERS, (it) => (it.text = '')) },
  {
    name: 'the providers are not offered',
    fails: ['S01', 'S20'],
    change: success(PROVIDERS, (it) => refuse(it, 404, 'not_found')),
  },
  {
    name: 'the providers always fail',
    fails: ['S20', 'S28'],
    change: success(PROVIDERS, (it) => refuse(it, 500, 'internal_error')),
  },
  {
    name: 'a success has the status of an error',
    fails: ['D03'],
    change: success(PLAYBOOKS, (it) => (it.status = 404)),
  },
  {
    name: 'a pin to a release that exists is refused',
    fails: ['S40'],
    change: when(
      ({ request, status }) => status < 300 && request.headers.get('service-version') === '2026-01-01',
      (it) => refuse(it, 400),
    ),
    trial: { options: { serviceVersion: '2026-01-01' } },
  },
  {
    name: 'every response is an empty object',
    fails: ['S05', 'S06', 'S07', 'S08', 'S09', 'S10', 'S14', 'S15', 'S22', 'S23', 'S24', 'S25', 'S34', 'D02'],
    change: (it) => Object.assign(it, { status: 200, body: {} }),
  },
  {
    name: 'a run that does not exist gets 200',
    fails: ['S22'],
    change: when(
      ({ status, path, query }) => status === 404 && path.startsWith('/runs') && query.size === 0,
      accept('/runs/run_8Zt4Lm2c'),
    ),
  },
  {
    name: 'a run that does not exist is a fault of the service',
    fails: ['S22', 'S28'],
    change: when(
      ({ status, path }) => status === 404 && path.startsWith('/runs'),
      (it) => refuse(it, 500),
    ),
  },
]
