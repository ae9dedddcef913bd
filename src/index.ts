export type { GivenSettings, SettingName } from './config/given-settings.js'
export { SettingsError } from './config/read-settings.js'
export { createMainstay, type Mainstay, type MainstayOptions } from './create-mainstay.js'
