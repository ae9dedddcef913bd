import { readSettings } from './config/read-settings.js'
import { serve } from './serve.js'
import { startFailure } from './start-failure.js'

try {
  await serve(readSettings())
} catch (error) {
  console.error(startFailure(error))
  process.exit(1)
}
