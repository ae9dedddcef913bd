import { readSettings } from './platform/config/read-settings.js'
import { serve, startFailure } from './serve.js'

try {
  await serve(readSettings())
} catch (error) {
  console.error(startFailure(error))
  process.exit(1)
}
