/** The reference tokens of a JSON pointer. RFC 6901, section 4. */
export const pointerTokens = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

/** A JSON pointer from its reference tokens. RFC 6901, section 3. */
export const toPointer = (tokens: readonly (string | number)[]): string =>
  tokens.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The value at a JSON pointer; undefined when there is none. */
export const valueAt = (document: unknown, pointer: string): unknown =>
  pointerTokens(pointer).reduce<unknown>(
    (node, token) =>
      typeof node === 'object' && node !== null && Object.hasOwn(node, token)
        ? (node as Record<string, unknown>)[token]
        : undefined,
    document,
  )
