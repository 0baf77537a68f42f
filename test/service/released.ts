import { pathToFileURL } from 'node:url'
import { run, workspace } from '../../generated/examples.js'
import { createService, type Release, type ServiceOptions } from '../../src/service/index.js'

interface Context {
  id: string
}

type DefineRelease = (operations: Release<Context>['operations']) => Release<Context>

export const defineOf = async (file: string): Promise<DefineRelease> =>
  (await import(/* @vite-ignore */ pathToFileURL(file).href)).defineRelease

/** A service of today's contract whose releases a test chooses. */
export const options: ServiceOptions<Context> = {
  authenticate: (key) => ({ context: { id: key } }),
  operations: {
    getCurrentWorkspace: () => ({ status: 200, body: { ...workspace, name: 'today' } }),
    getRun: () => ({ status: 200, body: { ...run, id: 'today' } }),
  },
  otherwise: 501,
}

export const send = async (
  own: Partial<ServiceOptions<Context>>,
  path: string,
  version?: string,
  init: RequestInit = {},
) => {
  const headers = new Headers({ authorization: 'Bearer key', ...(version && { 'service-version': version }) })
  if (init.body) headers.set('content-type', 'application/json')
  const response = await createService({ ...options, ...own }).fetch(
    new Request(`http://h${path}`, { ...init, headers }),
  )
  return { status: response.status, body: await response.json() }
}
