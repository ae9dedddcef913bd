import { readSettings, SettingsError } from './config/read-settings.js'
import { serve } from './serve.js'

try {
  await serve(readSettings())
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : error)
  process.exit(1)
}
