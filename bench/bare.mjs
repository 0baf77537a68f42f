// A minimal server on Node: the upper bound of what is possible here.
import { createServer } from 'node:http'

const body = process.argv[3]
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
createServer((request, response) => {
  request.resume()
  response.writeHead(200, headers).end(body)
}).listen(Number(process.argv[2]), '127.0.0.1')
