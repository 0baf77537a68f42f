import { nodes } from './walk.js'

const SNAKE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

/** Names on the wire are in snake_case; only headers have a case of their own. */
export default function snakeCase(/** @type {import('./walk.js').Node} */ document) {
  return nodes(document)
    .filter(
      ({ kind, node, name }) =>
        (kind === 'property' || (kind === 'parameter' && node.in !== 'header')) && !SNAKE.test(name),
    )
    .map(({ kind, name, path }) => ({
      message: `The ${kind} "${name}" is not in snake_case. Write "${toSnake(name)}".`,
      path,
    }))
}

/** @param {string} name */
const toSnake = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
