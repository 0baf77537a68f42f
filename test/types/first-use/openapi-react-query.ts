// Queries in components, whose values go into state, props and other hooks.
import type { Playbook, paths, Run } from '@workflow-automation/contract/types'
import createClient from 'openapi-fetch'
import createQueryClient from 'openapi-react-query'
import { useEffect, useState } from 'react'

const api = createQueryClient(createClient<paths>({ baseUrl: 'http://127.0.0.1/v1' }))

export function useRun(id: string): Run | undefined {
  const [run, setRun] = useState<Run>()
  const { data, error } = api.useQuery('get', '/runs/{id}', { params: { path: { id } } })
  useEffect(() => {
    if (data) setRun(data)
    if (data) setRun((before) => ({ ...data, steps: before?.steps ?? data.steps }))
  }, [data])
  return error?.error === 'not_found' ? undefined : run
}

export function useStatus(id: string): string {
  const options = { select: (run: Run) => run.status, refetchInterval: 5_000 }
  const { data } = api.useQuery('get', '/runs/{id}', { params: { path: { id } } }, options)
  return data?.toUpperCase() ?? 'unknown'
}

export function useStart(playbook: Playbook): (order: string) => Promise<string | undefined> {
  const { mutateAsync } = api.useMutation('post', '/playbooks/{id}/runs')
  return async (order) => {
    const params = { path: { id: playbook.id ?? '' } }
    const { id } = await mutateAsync({ params, body: { inputs: { order } } })
    return id
  }
}
