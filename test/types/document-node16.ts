import spec from '@workflow-automation/contract/openapi.json'

export const version: string = spec.openapi
