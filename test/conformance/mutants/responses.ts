import { accept, type Mutant, refusing, success, violating, when } from './mutant.js'

const WORKSPACE = /^\/workspaces/
const PLAYBOOKS = /^\/playbooks$/
const PROVIDERS = /^\/providers$/

const html = '<!doctype html><title>Welcome</title>'
const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (each) => each.charCodeAt(0))

/** Workspaces, playbooks and providers that are not what the contract says. */
export const responseMutants: Mutant[] = [
  ...violating({
    S16: {
      'the workspace is a list with meta': success(
        WORKSPACE,
        (it) => (it.body = { data: [it.body], meta: { total: 1, page: 1, per_page: 20 } }),
      ),
      'the workspace is a list': success(WORKSPACE, (it) => (it.body = [it.body])),
      'the workspace is empty': success(WORKSPACE, (it) => (it.text = '')),
      'the workspace is not UTF-8': success(WORKSPACE, (it) => (it.text = bytes('{"id":"ws_\xe9","name":"x"}'))),
      'the workspace begins with a byte order mark': success(
        WORKSPACE,
        (it) => (it.text = `\ufeff${JSON.stringify(it.body)}`),
      ),
      'the workspace names a property twice': success(
        WORKSPACE,
        (it) => (it.text = '{"id":"ws_1","id":"ws_2","name":"Acme"}'),
      ),
      'the workspace is a redirect': success(WORKSPACE, (it) => {
        Object.assign(it, { status: 301, text: '' })
        it.headers.set('location', '/v2/workspaces/me')
      }),
    },
    S03: {
      'the workspace of a key changes': success(
        WORKSPACE,
        (it) => (it.body = { id: `ws_${it.number}`, name: `Workspace ${it.number}` }),
      ),
    },
    S17: {
      'the playbooks are a bare list': success(PLAYBOOKS, (it) => (it.body = it.body.data)),
      'meta.total is less than the page has': success(PLAYBOOKS, ({ body, query }) =>
        Object.assign(body.meta, query.size === 0 && { total: 0 }),
      ),
      'playbooks are given by name': success(PLAYBOOKS, ({ body }) => {
        body.data = body.data.map(({ name }: { name: string }) => name)
      }),
    },
    S14: {
      'the list has no data': success(PLAYBOOKS, ({ body }) => delete body.data),
    },
    S15: {
      'the list has no meta': success(PLAYBOOKS, ({ body }) => delete body.meta),
      'meta has no per_page': success(PROVIDERS, ({ body }) => delete body.meta.per_page),
      'meta.total is a fraction': success(PROVIDERS, ({ body }) => (body.meta.total = 2.5)),
    },
    D07: {
      'meta.total is negative': success(PLAYBOOKS, ({ body }) => (body.meta.total = -1)),
    },
    D01: {
      'no playbook has an id': success(PLAYBOOKS, ({ body }) => {
        body.data = body.data.map(() => ({ name: 'Refund' }))
      }),
      'the id of a playbook is an object': success(PLAYBOOKS, ({ body }) =>
        Object.assign(body.data[0] ?? {}, { id: {} }),
      ),
      'two playbooks have one id': success(PLAYBOOKS, ({ body }) =>
        Object.assign(body.data[1] ?? {}, { id: body.data[0]?.id }),
      ),
    },
    D06: {
      'a playbook has an empty id': success(PLAYBOOKS, ({ body }) => Object.assign(body.data[0] ?? {}, { id: '' })),
    },
    S20: {
      'the providers are empty': success(PROVIDERS, (it) => (it.text = '')),
    },
    A32: {
      'meta.total is different each time': success(PLAYBOOKS, ({ body, number }) => (body.meta.total += number)),
      'the list is empty and has a total': success(PROVIDERS, ({ body, query }) =>
        Object.assign(body, query.size === 0 && { data: [] }),
      ),
    },
    D03: {
      'a success has the status of an error': success(PLAYBOOKS, (it) => (it.status = 404)),
    },
    S22: {
      'a run that does not exist gets 200': when(
        ({ status, path, query }) => status === 404 && path.startsWith('/runs') && query.size === 0,
        accept('/runs/run_8Zt4Lm2c'),
      ),
    },
  }),
  {
    name: 'a pin to a release that exists is refused',
    violates: ['S40'],
    change: when(
      ({ request, status }) => status < 300 && request.headers.get('service-version') === '2026-01-01',
      refusing(400),
    ),
    trial: { options: { serviceVersion: '2026-01-01' } },
  },
  {
    name: 'the workspace is an HTML page',
    violates: ['S16', 'A29'],
    change: success(WORKSPACE, (it) => {
      it.text = html
      it.headers.set('content-type', 'text/html')
    }),
  },
  {
    name: 'the workspace is not found',
    violates: ['S01', 'S16'],
    change: when(({ path, status }) => WORKSPACE.test(path) && status === 200, refusing(404, 'not_found')),
  },
  {
    name: 'a page has more items than per_page',
    violates: ['A16', 'A32'],
    change: success(PLAYBOOKS, ({ body, query }) => Object.assign(body.meta, query.size === 0 && { per_page: 0 })),
  },
  {
    name: 'the providers are not offered',
    violates: ['S01', 'S20'],
    change: success(PROVIDERS, refusing(404, 'not_found')),
  },
  {
    name: 'the providers always fail',
    violates: ['S20', 'S28'],
    change: success(PROVIDERS, refusing(500, 'internal_error')),
  },
  {
    name: 'every response is an empty object',
    violates: ['S05', 'S06', 'S07', 'S08', 'S09', 'S10', 'S14', 'S15', 'S22', 'S23', 'S24', 'S25', 'S34', 'D02'],
    change: (it) => Object.assign(it, { status: 200, body: {} }),
  },
  {
    name: 'a run that does not exist is a fault of the service',
    violates: ['S22', 'S28'],
    change: when(({ status, path }) => status === 404 && path.startsWith('/runs'), refusing(500)),
  },
]
