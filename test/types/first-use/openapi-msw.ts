// Handlers of a test, typed by `paths`, that return fixtures and values of named types.
import {
  errorNotFound,
  errorRateLimited,
  playbookList,
  run,
  runFailed,
  triggeredRun,
} from '@workflow-automation/contract/examples'
import type { Playbook, paths, Run, RunStatus } from '@workflow-automation/contract/types'
import { createOpenApiHttp } from 'openapi-msw'

const http = createOpenApiHttp<paths>({ baseUrl: 'http://127.0.0.1/v1' })
const runs = new Map<string, Run>([['run_1', run]])
let status: RunStatus = 'running'
const playbooks: Playbook[] = [...playbookList.data, { id: 'pb_9' }]

export const handlers = [
  http.get('/runs/{id}', ({ params, response }) => {
    const found = runs.get(params.id)
    if (!found) return response(404).json(errorNotFound)
    return status === 'failed' ? response(200).json(runFailed) : response(200).json({ ...found, status })
  }),
  http.post('/playbooks/{id}/runs', async ({ request, params, response }) => {
    const { inputs } = await request.json()
    if (inputs.order === undefined) return response(429).json(errorRateLimited)
    status = 'on_fire'
    return response(201).json({ ...triggeredRun, playbook_id: params.id, status })
  }),
  http.get('/playbooks', ({ query, response }) => {
    const page = Number(query.get('page') ?? 1)
    return response(200).json({ data: playbooks, meta: { ...playbookList.meta, page } })
  }),
]
