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

declare module 'whatwg-fetch' {
  export const Headers: typeof globalThis.Headers
  export const Request: typeof globalThis.Request
  export const Response: typeof globalThis.Response
}
