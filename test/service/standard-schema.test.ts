import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, it } from 'vitest'
import { operations } from '../../generated/contract.js'
import { run } from '../../generated/examples.js'
import contract from '../../generated/openapi.json' with { type: 'json' }
import type { Run, TriggerRunRequest } from '../../generated/types.js'
import { requestBodies, schemas, validate } from '../../src/validators/index.js'

// The compiler compares them with the specification, which the package only copies.
const ofRun: StandardSchemaV1<Run> = schemas.Run
const ofTrigger: StandardSchemaV1<TriggerRunRequest> = requestBodies.triggerRun
const typed: StandardSchemaV1.InferOutput<typeof schemas.Run> = run

describe('the validators as Standard Schemas', () => {
  it('a Standard Schema returns a valid value unchanged', () => {
    expect(ofRun['~standard'].validate(typed)).toEqual({ value: run })
    expect(ofRun['~standard']).toMatchObject({ version: 1, vendor: '@workflow-automation/contract' })
  })

  it('a Standard Schema lists the problems with the path of each property', () => {
    const wrong = { ...run, steps: [{ id: 'step_1', status: 'running' }, { status: 7 }] }
    expect(ofRun['~standard'].validate(wrong)).toEqual({
      issues: [
        { message: 'the body must have the property "steps.1.id"', path: ['steps', 1, 'id'] },
        { message: 'the body property "steps.1.status" must be a string', path: ['steps', 1, 'status'] },
      ],
    })
    expect(ofTrigger['~standard'].validate(undefined)).toEqual({
      issues: [{ message: 'the body must be an object', path: [] }],
    })
    expect(ofTrigger['~standard'].validate({ inputs: { 'a/b~c': null } })).toMatchObject({
      issues: [{ path: ['inputs', 'a/b~c'] }],
    })
  })

  it('there is a Standard Schema for every named schema, and it agrees with validate', () => {
    const values = [run, {}, null, 7, 'running', { inputs: {} }, JSON.parse('{"__proto__":1}')]
    for (const name of Object.keys(schemas) as (keyof typeof schemas)[])
      for (const value of values) {
        const result = schemas[name]['~standard'].validate(value)
        expect(result.issues?.length ?? 0, name).toBe(validate(name, value).length)
      }
    expect(Object.keys(schemas)).toEqual(Object.keys(contract.components.schemas))
    const withBody = Object.entries(operations).filter(([, operation]) => 'body' in operation)
    expect(Object.keys(requestBodies)).toEqual(withBody.map(([id]) => id))
  })
})
