import { declareAnswersProperty } from '@leadtrail/testing/answers-property';

declareAnswersProperty('sqlite');
