import { entries, nodesOf } from './walk.js'

/** A 429 says how long to wait, twice and with one value. */
export default function rateLimitResponse(/** @type {import('./walk.js').Node} */ document) {
  return nodesOf(document, 'response')
    .filter(({ name }) => name === '429')
    .flatMap(({ node, path }) => {
      const header = node.headers?.['Retry-After']
      if (header?.required !== true)
        return [
          {
            message: 'A 429 needs the header Retry-After with "required: true". Refer to ../headers/RetryAfter.yaml.',
            path,
          },
        ]
      return entries(node.content).flatMap(([type, media]) =>
        entries(media.examples)
          .filter(([, example]) => example.value?.retry_after !== header.example)
          .map(([name, example]) => ({
            message: `The example "${name}" has retry_after ${example.value?.retry_after}, and the example of Retry-After is ${header.example}. Give both the same value.`,
            path: [...path, 'content', type, 'examples', name],
          })),
      )
    })
}
