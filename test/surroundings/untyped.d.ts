declare module 'isomorphic-fetch' {
  const fetch: typeof globalThis.fetch
  export default fetch
}

declare module 'make-fetch-happen' {
  const fetch: { defaults(options: object): typeof globalThis.fetch }
  export default fetch
}

declare module 'node-fetch' {
  const fetch: typeof globalThis.fetch
  export default fetch
}
