export { withoutBigInts, type YamlObject, type YamlValue } from './yaml-value.ts';
export { jsonText, parseJson, withExactIntegers } from './json-text.ts';
export { parseYaml } from './parse-yaml.ts';
export { parseManifestStream } from './manifest-stream.ts';
export { YamlError } from './yaml-error.ts';
export { yamlText } from './yaml-text.ts';
