import { schemaNodes } from '../../../../generated/conformance/nodes.js'
import { createMask } from '../../../internal/mask.js'
import { toPointer } from '../../../runtime/json-pointer.js'
import { isSecretName, maskSecretLike } from '../secret-like.js'

/** A value that was replaced, by what, and where it stands first. */
export interface Replacement {
  /** The operation, and the JSON pointer in the body of its request or response, for `keep`; empty for a key. */
  operation: string
  pointer: string
  replacement: string
}

/**
 * Replaces keys, what looks like a secret, and what may identify a person; the same text by the same text. When in doubt
 * it replaces. What `keep` names by its pointer in a body stays, unless it contains a key.
 */
export class Replacer {
  readonly replaced = new Map<string, Replacement>()
  private readonly replacements = new Map<string, string>()
  private readonly issued = new Set<string>()
  private readonly seen = {
    name: new Map<string, string>(),
    text: new Map<string, string>(),
    property: new Map<string, string>(),
  }
  private readonly masks: { length: number; mask: ReturnType<typeof createMask> }[]
  private at: { operation: string; tokens: string[] } = { operation: '', tokens: [] }

  /** `keys` and `secrets` were recorded in headers, cookies and URLs; keys are found in every encoding. */
  constructor(
    keys: readonly string[],
    private readonly secrets: ReadonlySet<string>,
    private readonly keep: readonly string[] = [],
  ) {
    const searched = keys.slice(0, MAX_SEARCHED)
    this.masks = searched.map((key) => ({ length: key.length, mask: createMask([key], this.key(key)) }))
    for (const key of keys) this.key(key)
  }

  key(key: string): string {
    return this.replace(key, (number) => `key_recorded_${number}`)
  }

  /** An id, or other text of the contract, in which only what is known to be a secret is replaced. */
  name(text: string): string {
    return maskSecretLike(this.known(text), (secret) => this.replace(secret)).replaceAll(EMAIL, this.person)
  }

  /** Text that a person or a client wrote. */
  text(text: string): string {
    return this.numbers(this.name(text)).replaceAll(TOKEN, (token) => (isRandom(token) ? this.replace(token) : token))
  }

  /** The name of a property that the contract does not have; it is often long, and has a digit. */
  private property(name: string): string {
    return this.numbers(this.name(name)).replaceAll(WORD, (word) => (isRandom(word) ? this.replace(word) : word))
  }

  private numbers(text: string): string {
    return text.replaceAll(NUMBER, (number) =>
      number.replaceAll(/\D/g, '').length < 9 ? number : this.replace(number),
    )
  }

  /** A copy of a body. */
  body(value: unknown, operation: string): unknown {
    this.at = { operation, tokens: [] }
    return this.walk(value, false)
  }

  private walk(value: unknown, isSecret: boolean): unknown {
    if (typeof value === 'string') return this.string(value, isSecret)
    if (typeof value !== 'object' || value === null) return typeof value === 'number' && isSecret ? 0 : value
    const entries = Object.entries(value).map(([name, each]) => {
      const isOwn = !Array.isArray(value) && isPrivate(name, this.at.tokens)
      this.at.tokens.push(name)
      const replaced = this.walk(each, isSecret || isOwn)
      this.at.tokens.pop()
      return [PROPERTIES.has(name) ? name : this.remembered('property', name), replaced] as const
    })
    return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)
  }

  private string(value: string, isSecret: boolean): string {
    if (this.keep.length > 0 && this.keep.includes(toPointer(this.at.tokens))) return this.known(value)
    if (isSecret && value !== '') return EXACT_EMAIL.test(value) ? this.person(value) : this.replace(value)
    return this.remembered(isStructural(this.at.tokens) ? 'name' : 'text', value)
  }

  private remembered(kind: keyof typeof this.seen, value: string): string {
    const seen = this.seen[kind].get(value)
    if (seen !== undefined) return seen
    if (this.seen[kind].size >= MAX_SEEN) this.seen[kind].clear()
    const replaced = this[kind](value)
    this.seen[kind].set(value, replaced)
    return replaced
  }

  /** Replaces what the recording shows to be a secret elsewhere. */
  private known(text: string): string {
    // No encoding of a key is shorter than the key.
    const unkeyed = this.masks.reduce((rest, { length, mask }) => (rest.length < length ? rest : mask(rest)), text)
    return unkeyed.replaceAll(PART, (part) =>
      this.secrets.has(part) || this.replacements.has(part) ? this.replace(part) : part,
    )
  }

  private readonly person = (address: string): string =>
    this.replace(address.replace(/%40/, '@'), (number) => `person${number}@example.com`)

  private replace(secret: string, name = (number: number) => `replaced_${number}`): string {
    if (this.issued.has(secret)) return secret
    const known = this.replacements.get(secret)
    if (known !== undefined) return known
    const replacement = name(this.issued.size + 1)
    this.replacements.set(secret, replacement)
    this.issued.add(replacement)
    this.replaced.set(replacement, { operation: this.at.operation, pointer: toPointer(this.at.tokens), replacement })
    return replacement
  }
}

/** How many keys are searched for in every encoding, and how many texts are remembered. */
const MAX_SEARCHED = 100
const MAX_SEEN = 10_000

/** What a cookie or a parameter of a URL may be a part of. A shorter part may be a word. */
const PART = /[^\s"'<>,;&?=(){}[\]]{6,}/g
const EMAIL = /[\w.!#$&'*+/=?^`{|}~-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+/g
const EXACT_EMAIL = new RegExp(`^${EMAIL.source}$`)

/** Tokens, hashes and encoded bytes: long, without spaces, with letters and digits or with capitals in between. */
const TOKEN = /[\w.~+/=-]{16,}/g
const WORD = /[A-Za-z0-9]{16,}/g
const isRandom = (token: string): boolean =>
  (/\d/.test(token) && /[a-z]/i.test(token)) || (token.match(/[a-z][A-Z]/g)?.length ?? 0) > 2

/** Numbers of cards, accounts and telephones, not dates. */
const NUMBER = /(?<![\w.-])(?!\d{4}-\d\d-\d\d)\+?\d[\d ().-]{7,}\d/g

const PRIVATE =
  /connection_?string|dsn|webhook|nonce|[cx]srf|mnemonic|mail|phone|mobile|address|street|zip|postal|birth|ssn|iban|passport|card_?number|recipient|(first|last|sur|full|user|customer|contact)_?name|^(name|city|tel|fax|addr|dob)$/i

/** The properties of the contract. Those that a person writes may contain anything. */
const PROPERTIES = new Set(Object.values(schemaNodes).flatMap(({ properties = {} }) => Object.keys(properties)))
const WRITTEN = ['name', 'description', 'message']

const isInput = (tokens: readonly string[]): boolean => tokens.includes('inputs')

const isStructural = (tokens: readonly string[]): boolean => {
  const name = tokens.findLast((token) => !/^\d+$/.test(token)) ?? ''
  return !isInput(tokens) && (/(^|_)id$/.test(name) || (PROPERTIES.has(name) && !WRITTEN.includes(name)))
}

/** Whether what has this name is a secret, or may identify a person. */
const isPrivate = (name: string, tokens: readonly string[]): boolean =>
  (isInput(tokens) || !PROPERTIES.has(name)) && (isSecretName(name) || PRIVATE.test(name))
