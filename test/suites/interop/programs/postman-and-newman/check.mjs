// Adds a test to a collection: every response is a success.
import { readFileSync, writeFileSync } from 'node:fs'

const collection = JSON.parse(readFileSync('collection.json', 'utf8'))
const exec = ["pm.test('is a success', () => pm.response.to.be.success)"]
collection.event = [{ listen: 'test', script: { type: 'text/javascript', exec } }]
writeFileSync('collection.json', JSON.stringify(collection))
