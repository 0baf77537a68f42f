/** A client that names a release, whose providers have no names here: compiled beside the package of releases. */
import { createClient, type PinnedClient } from '@workflow-automation/contract'

const options = { baseUrl: 'https://api.example.com/v1', apiKey: 'key' }
const newest = createClient(options)
const pinned = createClient({ ...options, serviceVersion: '2026-11-21' })
const named: PinnedClient<'2026-11-21'> = pinned
export const names = [
  (await newest.listProviders()).data[0]?.name,
  (await createClient({ ...options, serviceVersion: '2999-01-01' }).listProviders()).data[0]?.name,
]
export const id: string | undefined = (await pinned.listProviders()).data[0]?.id
await pinned.waitForRun('run_1', { onUpdate: ({ steps }) => steps.length })

// @ts-expect-error The release has no name.
export const byMethod = (await pinned.listProviders()).data[0]?.name
// @ts-expect-error The release has no name.
export const byNamed = (await named.listProviders()).data[0]?.name
// @ts-expect-error The release has no name.
export const byPath = (await pinned.GET('/providers')).data?.data[0]?.name
// @ts-expect-error The release has no name.
for await (const provider of pinned.paginate('listProviders')) provider.name
// @ts-expect-error The release has no name.
export const byCall = (await newest.listProviders({}, { serviceVersion: '2026-11-21' })).data[0]?.name
// @ts-expect-error The release has no name.
export const byPathOfCall = (await newest.GET('/providers', { serviceVersion: '2026-11-21' })).data?.data[0]?.name
