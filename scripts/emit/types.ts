import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import type { Contract, Json } from '../contract/index.js'
import { banner } from './text.js'

/** The types of openapi-typescript, with the schemas as named types and with open enumerations. */
export async function emitTypes({ document }: Contract): Promise<string> {
  const nodes = await openapiTS(closed(document), {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
    transform: (schema) => {
      const values = (schema as { 'x-extensible-enum'?: string[] })['x-extensible-enum']
      return values && openEnumeration(values)
    },
  })
  return banner() + astToString(nodes)
}

/** Without "additionalProperties: true", whose index signature would let a misspelt property compile. */
const closed = (document: Json): Json =>
  JSON.parse(
    JSON.stringify(document, (key, value) => (key === 'additionalProperties' && value === true ? undefined : value)),
  )

/** `'a' | 'b' | (string & {})`: an editor completes the known values, and new ones compile. */
const openEnumeration = (values: string[]): ts.TypeNode =>
  ts.factory.createUnionTypeNode([
    ...values.map((value) => ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(value))),
    ts.factory.createParenthesizedType(
      ts.factory.createIntersectionTypeNode([
        ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
        ts.factory.createTypeLiteralNode([]),
      ]),
    ),
  ])
