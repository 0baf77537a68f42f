import { nodes, registerOf } from './walk.js'

/** A list of values that is not stated to be complete stays open: known values, but never an enum. */
export default function openEnumerations(/** @type {import('./walk.js').Node} */ document) {
  const register = registerOf(document)
  return nodes(document)
    .filter(({ kind }) => kind === 'schema' || kind === 'property')
    .flatMap(({ node, name, path }) => {
      const stated = [node['x-basis'] ?? []]
        .flat()
        .every((/** @type {string} */ id) => register.get(id)?.kind === 'stated')
      const closed = node.enum !== undefined || node.const !== undefined
      if (closed && node['x-known-values'])
        return [{ message: `"${name}" has known values and is closed as well. Remove "enum" and "const".`, path }]
      if (node.enum !== undefined && !(stated && node['x-basis']))
        return [
          {
            message: `The values of "${name}" are not stated to be complete. Write them as x-known-values, each with its description and x-basis, instead of "enum".`,
            path: [...path, 'enum'],
          },
        ]
      if (name === 'status' && !node.$ref && !node['x-known-values'])
        return [
          {
            message:
              'A status is a string with known values. Refer to RunStatus or StepStatus, or give the values in x-known-values.',
            path,
          },
        ]
      return []
    })
}
