export {
  Permitted,
  type PermittedProps,
  SignedIn,
  type SignedInProps,
  SignedOut,
  type SignedOutProps,
  usePermitted,
  type Wanted,
} from './gates.js'
export { LoginForm, type LoginFormProps } from './login-form.js'
export { ENGLISH, type LoginWords } from './login-words.js'
export {
  MainstayProvider,
  type MainstayProviderProps,
  type User,
  type UserState,
  useClient,
  useSession,
  useUser,
} from './provider.js'
export { UserButton, type UserButtonProps } from './user-button.js'
