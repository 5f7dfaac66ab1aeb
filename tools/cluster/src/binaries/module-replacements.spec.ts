import { describe, expect, it } from 'vitest';
import { replacementLines } from './module-replacements.ts';

const GO_MOD = `
module example.org/scheduler

require k8s.io/api v0.34.1

replace (
	google.golang.org/grpc => google.golang.org/grpc v1.64.0
	k8s.io/api => k8s.io/api v0.34.1
	k8s.io/node-api => k8s.io/node-api v0.34.1
	k8s.io/klog/v2 => example.org/klog/v2 v2.1.0
	// A comment.
	example.org/apis => ./staging/src/example.org/apis
)

replace example.org/one => example.org/other v1.2.3
`;

describe('replacementLines', () => {
  it("repeats the program's replacements, with the published version for a folder", () => {
    const replacements = {
      kubernetes: '0.34.3',
      published: { 'example.org/apis': '1.14.0' },
      leftOut: ['k8s.io/node-api'],
    };
    expect(replacementLines(GO_MOD, replacements)).toEqual([
      'replace google.golang.org/grpc => google.golang.org/grpc v1.64.0',
      'replace k8s.io/api => k8s.io/api v0.34.3',
      'replace k8s.io/klog/v2 => example.org/klog/v2 v2.1.0',
      'replace example.org/one => example.org/other v1.2.3',
      'replace example.org/apis => example.org/apis v1.14.0',
    ]);
  });
});
