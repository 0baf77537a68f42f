import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { formatYamlList, parseYamlList } from '../../src/cli/yaml-list.js'
import { ConformanceError } from '../../src/conformance/index.js'

const scalar = fc.oneof(
  fc.nat(999),
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.stringMatching(/^[ -~\n]{0,40}$/),
  fc.constantFrom('2026-11-21', 'a: b', 'a #b', '- x', 'true', '~', '007', "it's", 'a\n\nb\n', '', 'x:', '{a}', '&a'),
)
const list = fc.array(
  fc.dictionary(fc.constantFrom('basis', 'reason', 'status', 'pointer'), scalar, { minKeys: 1, noNullPrototype: true }),
  { maxLength: 4 },
)

it('a written YAML list is read back the same, here and by the package yaml', () =>
  fc.assert(
    fc.property(list, (entries) => {
      const text = `# A comment.\n${formatYamlList(entries)}`
      expect(parseYamlList(text)).toEqual(entries)
      expect(parse(text)).toEqual(entries)
    }),
  ))

it('no text is read differently than by the package yaml', () => {
  const pieces = [
    '- ',
    '  ',
    '    ',
    'basis: ',
    'reason: ',
    'S08',
    '"a"',
    "'b'",
    '>-',
    '|',
    '\n',
    '\n  ',
    '\n- ',
    ' # c',
  ]
  const piece = fc.constantFrom(...pieces, ', ', '{ ', ' }', '12', ': ', 'word', '-', '!x ', '&a ', '~')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = `- ${pieces.join('')}`
      let own: unknown
      try {
        own = parseYamlList(text)
      } catch (error) {
        if (!(error instanceof ConformanceError)) throw error
        return
      }
      // An entry without a field is refused later, as one that has no basis.
      const whole = JSON.stringify(own).replaceAll('{}', 'null')
      expect(whole).toBe(JSON.stringify(parse(text, { logLevel: 'silent' })).replaceAll('{}', 'null'))
    }),
    { numRuns: 3_000 },
  )
})

it('comments, quotes and blank lines of a YAML list are read', () => {
  const text = `---
# Known since May.
- basis: S08          # started_at
  operation: getRun
  status: 200
  pointer: /steps/0/id
  reason: The old workers send local time, they go in June [OPS-11].

  expires: 2026-12-31
# The gateway refuses first.
- { basis: S24, keyword: status, reason: 'the gateway''s fault, see OPS-12' } # soon
-   basis: "S30"
    reason: "a \u2713"
`
  expect(parseYamlList(text)).toEqual(parse(text))
  expect(parseYamlList(text.replaceAll('\n', '\r\n'))).toEqual(parse(text))
  expect(parseYamlList('# nothing\n[]\n')).toEqual([])
  expect(parseYamlList('# nothing\n')).toEqual([])
  expect(parseYamlList('[{"basis":"S08"}]')).toEqual([{ basis: 'S08' }])
})

it.each([
  ['basis: S08', 'Line 1 does not start an entry. Write entries as a list of "name: value", for example - basis: S08.'],
  ['- basis: S08\n  reason: a: b', 'Line 2 has a ": " in its value; put the value in quotes.'],
  ['- basis: S08\n  basis: S09', 'Line 2 names basis a second time.'],
  ['- basis: S08\n   reason: x', 'Line 2 is not indented like the other lines of its entry.'],
  ['- basis: *all', 'Line 1 is not "name: value" with a text or a number; put other texts in quotes.'],
  ['- { basis: S08, reason: a', 'Line 1 has unexpected text after its value.'],
  ['- status: 0x10', 'Line 1 has a value that is neither a text nor a whole number; put it in quotes.'],
])('a YAML list that contains %j is refused with the line number', (text, sentence) =>
  expect(() => parseYamlList(text)).toThrow(sentence),
)
