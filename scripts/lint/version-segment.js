/**
 * Every server ends with the same version segment, which is part of every base URL.
 * @type {import('./context.js').Rule}
 */
export default (servers) => {
  const segments = servers.map((/** @type {any} */ { url }) => /\/v\d+$/.exec(url ?? '')?.[0])
  return segments.flatMap((/** @type {string | undefined} */ segment, /** @type {number} */ index) =>
    segment && segment === segments[0]
      ? []
      : [
          {
            message: `The URL "${servers[index].url}" does not end with ${segments[0] ?? 'a version segment such as /v1'}, like the others. Give each major version a contract of its own.`,
            path: ['servers', index, 'url'],
          },
        ],
  )
}
