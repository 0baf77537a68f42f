import { isObject } from './walk.js'

const KINDS = { stated: 'S', observed: 'O', derived: 'D', assumed: 'A' }
const ALWAYS = ['id', 'kind', 'section', 'text']
const ASSUMED = ['question', 'choice', 'because', 'ifWrong']

/** Every entry of the register is complete, and its id is its own and of its kind. */
export default function basisRegister(/** @type {unknown} */ register) {
  if (!Array.isArray(register))
    return [{ message: 'The register must be a list of entries, see openapi/basis.yaml.', path: ['x-basis-register'] }]
  return register.flatMap((entry, index) =>
    complaints(entry, register.slice(0, index)).map((message) => ({ message, path: ['x-basis-register', index] })),
  )
}

/** @param {any} entry @param {any[]} before @returns {string[]} */
function complaints(entry, before) {
  if (!isObject(entry)) return ['An entry of the register must be an object with id, kind, section and text.']
  const fields = [...ALWAYS, ...(entry.kind === 'assumed' ? ASSUMED : [])]
  const prefix = KINDS[/** @type {keyof KINDS} */ (entry.kind)]
  return [
    ...fields
      .filter((field) => entry[field] === undefined)
      .map((field) => `The entry "${entry.id}" has no "${field}". Write one.`),
    ...(prefix ? [] : [`The kind "${entry.kind}" is not one of ${Object.keys(KINDS).join(', ')}.`]),
    ...(prefix && !new RegExp(`^${prefix}\\d\\d$`).test(entry.id)
      ? [
          `The id "${entry.id}" of an entry that is ${entry.kind} must be ${prefix} and two digits, for example ${prefix}07.`,
        ]
      : []),
    ...(before.some((other) => other?.id === entry.id)
      ? [`The id "${entry.id}" is taken already. Choose the next free one.`]
      : []),
  ]
}
