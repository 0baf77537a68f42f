/** The process: `PORT=3000 npm start`. */
import { serve } from 'srvx'
import app from './app.js'

const { PORT = '3000', HOST = '127.0.0.1' } = process.env
serve({ fetch: app.fetch, port: Number(PORT), hostname: HOST })
