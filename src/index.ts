export { SettingsError } from './config/read-settings.js'
export type { GivenSettings, SettingName } from './config/reading/given-settings.js'
export { createMainstay, type Mainstay, type MainstayOptions } from './create-mainstay.js'
