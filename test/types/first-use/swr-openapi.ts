// Hooks of SWR for the lists and the runs of a page.
import type { ListQuery, Playbook, paths, Run, RunStatus } from '@workflow-automation/contract/types'
import createClient from 'openapi-fetch'
import { createQueryHook } from 'swr-openapi'

const client = createClient<paths>({ baseUrl: 'http://127.0.0.1/v1' })
const useQuery = createQueryHook(client, 'contract')

export function usePlaybooks(query: ListQuery): Playbook[] {
  const { data } = useQuery('/playbooks', { params: { query } })
  return data?.data ?? []
}

export function useRun(id: string | undefined, show: (run: Run) => void): RunStatus | undefined {
  const { data, error } = useQuery('/runs/{id}', id === undefined ? null : { params: { path: { id } } }, {
    refreshInterval: (run) => (run?.status === 'running' ? 2_000 : 0),
    onSuccess: (run) => show(run),
  })
  return error?.error === 'forbidden' ? undefined : data?.status
}
