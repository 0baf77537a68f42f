import { entries } from './context.js'

/** @type {import('./context.js').Rule} */
export default (response, _, context) => {
  const { example } = response.headers?.['Retry-After'] ?? {}
  return entries(response.content).flatMap(([type, media]) =>
    entries(media.examples)
      .filter(([, { value }]) => value?.retry_after !== example)
      .map(([name, { value }]) => ({
        message: `The example "${name}" has retry_after ${value?.retry_after}, and the example of Retry-After is ${example}. Give both the same value.`,
        path: [...context.path, 'content', type, 'examples', name],
      })),
  )
}
