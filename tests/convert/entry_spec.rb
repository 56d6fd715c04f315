require 'spec_helper'

describe 'cache::entry' do
  let(:title) { 'one' }
  let(:facts) { on_supported_os['redhat-9-x86_64'].merge(datacenter: 'fra1') }
  let(:pre_condition) do
    <<~PUPPET
      notify { 'before': }
    PUPPET
  end

  %w[text other].each do |value|
    context "with #{value}" do
      let(:params) { { value: value } }

      it { is_expected.to contain_file('/var/cache/one').with_content(value) }
      it { is_expected.to contain_notify('before') }
    end
  end

  describe 'a number' do
    let(:params) { { value: 5 } }
    let(:title) { 'two' }

    it { is_expected.to contain_file('/var/cache/two').with('content' => '5') }
  end

  describe 'nothing' do
    it { is_expected.to raise_error(/expects a value for parameter 'value'/) }
  end
end
